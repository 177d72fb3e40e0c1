"""What the judge alone knows: the benchmark, its mistakes, the section of each step, and what to ask."""

from collections.abc import Sequence
from typing import Any

from grader.checks.expect import Refusal
from grader.checks.subject import PLAIN, VALUE_ALONE, AnsweredCall, Call, Manner, Result, Wish
from grader.katas.write_memory_benchmark.hidden.benchmark import BENCHMARK
from grader.katas.write_memory_benchmark.hidden.mistakes import MISTAKES
from grader.oracle.functions import FunctionKey, Functions, OracleSubject
from grader.oracle.sections import Section

LONG = 350
"""The largest length of the probes, which compute nothing."""
INSIDE = Section(
    "What is inside", "Which tensors exist before the call, and which does the call make that are gone when it ends?"
)
FORWARD = Section("Gradients", "Which tensors does a graph hold until backward, and what does that do to a peak?")
LENGTHS = Section(
    "One length at a time", "What of one measurement may reach the next, and what would a plot show then?"
)
SAME = Section("The same sizes", "Which sizes besides the length change the bytes, and how would you compare two runs?")
FIT = Section("A line on logarithmic axes", "What are slope and intercept of a power law on logarithmic axes?")


class BenchmarkSubject(OracleSubject):
    """Describes what the attention raises as a worker describes it."""

    def answer(self, call: Call, manner: Manner = PLAIN, wish: Wish = VALUE_ALONE) -> Result:
        try:
            return super().answer(call, manner, wish)
        except ArithmeticError as error:
            kinds = tuple(kind.__name__ for kind in type(error).__mro__)
            raise Refusal(kinds[0], kinds, str(error), None) from error


class BenchmarkKey(FunctionKey):
    """The key of two functions, of which one runs the attentions in the judge."""

    def fixtures(self, kata: Any, program: Functions, trace: Any, drawn: Sequence[Any]) -> dict[str, Any]:
        return {"subject": BenchmarkSubject(program, trace)}

    def is_exact(self, call: AnsweredCall) -> bool:
        """Whether pairs of mistakes are tried on the call: only where that takes no time."""
        return call.call.name == "growth_exponent" or max(call.call.args[1]) <= LONG


KEY = BenchmarkKey(
    BENCHMARK,
    MISTAKES,
    {
        **dict.fromkeys(("peak", "read"), INSIDE),
        "manner": FORWARD,
        **dict.fromkeys(("attention_memory", "chosen", "given"), LENGTHS),
        "inputs": SAME,
        **dict.fromkeys(("of_lengths", "of_bytes", "fitted"), FIT),
    },
    questions={
        "runs": "What is in a row, and of which types are the two functions' answers?",
        "peak bytes": "Which bytes does an attention take that neither its inputs nor its output show?",
        "growth": "Why is a power law a line on logarithmic axes, and what is its slope?",
        "linear or quadratic": "Which tensor of attention grows with the square, and who never makes it as a whole?",
        "leaves no trace": "Which settings of torch does your function change, and who puts them back after an error?",
    },
)
