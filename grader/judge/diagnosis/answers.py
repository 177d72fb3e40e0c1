"""What programs of the judge return in the calls that a submission answered, compared with what it returned."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from grader.checks.kata import Kata
from grader.judge.diagnosis.replay import all_same

LOOSE = (1e-4, 1e-5)
"""(rtol, atol): a difference that a step in float32 can cause is no contradiction."""


class ProgramAnswer:
    """What a program returns in a call, computed when it is first asked for.

    Args:
        kata: whose check made the call.
        program: the oracle, with steps replaced.
        call: a call that the kata's key can answer.
        walk: the program's walk through the call; None: the kata's programs take none.
    """

    def __init__(self, kata: Kata, program: Any, call: Any, walk: Any) -> None:
        self.program, self.call, self.walk = program, call, walk
        self._kata = kata

    @property
    def values(self) -> list[Any]:
        """What the program returns, gradients left out; empty: it breaks on its shapes."""
        return self._ran[0]

    @property
    def drew(self) -> bool:
        """Whether the program drew random numbers, so that right answers differ."""
        return self._ran[1]

    @property
    def walk_through(self) -> Any:
        """The walk, if it is complete; None: the program broke on its shapes, or there is no walk."""
        return self.walk if self.values else None

    @cached_property
    def whole(self) -> list[Any]:
        """What the program returns, gradients too; empty: it breaks on its shapes."""
        return self.values and (self._answer(self.call) if self.call.cotangent is not None else self.values)

    @cached_property
    def _ran(self) -> tuple[list[Any], bool]:
        return self._answer(_valued(self.call), self.walk), self._kata.key.drew(self.call)

    def _answer(self, call: Any, walk: Any = None) -> list[Any]:
        try:
            return self._kata.key.answer(self._kata, self.program, call, walk)
        except Exception:
            return []


class Answers:
    """Computes answers; the steps that a program has in common with the oracle are taken once for each call.

    Args:
        kata: whose checks made the calls. The calls must stay alive, for an answer is kept by the call's identity.
    """

    def __init__(self, kata: Kata) -> None:
        self.kata = kata
        self._oracle = dict[int, ProgramAnswer]()
        self._comparable = dict[int, bool]()
        self._slack = dict[int, float]()
        self._latest: ProgramAnswer | None = None
        """The last answer that was computed: several questions about one program and call follow one another."""

    def values(self, program: Any, call: Any, beside: Any = None) -> list[Any]:
        """What this program returns in a call, gradients left out; empty: it breaks on its shapes.

        Args:
            program: the oracle, with steps replaced.
            call: a call that the kata's key can answer.
            beside: the walk of a program that has more in common with this one than the oracle has.
        """
        return self._walked(program, call, beside).values

    def is_right(self, call: Any, rtol: float, atol: float) -> bool | None:
        """Whether the submission returned what the oracle does, gradients left out; None: the oracle drew, or breaks.

        Args:
            call: a call that the kata's key can answer.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        right = None if id(call) in self._oracle else self.kata.key.right_values(self.kata, call)
        if right is None:
            oracle = self.kata.key.oracle
            right = [] if self.drew(oracle, call) else self.values(oracle, call)
        return all_same(right, self.returned(call), rtol, atol * self.slack(call)) if right else None

    def drew(self, program: Any, call: Any) -> bool:
        """Whether this program drew random numbers in a call, so that right answers differ."""
        return self._walked(program, call).drew

    def walked(self, program: Any, call: Any) -> Any:
        """The walk of this program through a call; None where it breaks on its shapes."""
        return self._walked(program, call).walk_through

    def of(self, program: Any, call: Any) -> list[Any]:
        """What this program returns in a call, gradients too; empty: it breaks on its shapes."""
        return self._whole(self._walked(program, call))

    def agree(self, program: Any, call: Any, rtol: float = 1e-5, atol: float = 1e-6) -> bool | None:
        """Whether this program returns what the submission did, gradients too; None where it breaks on its shapes.

        Args:
            program: the oracle, with steps replaced.
            call: a call that the kata's key can answer.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        walked = self._walked(program, call)
        if not walked.values:
            return None
        atol *= self.slack(call)
        if not all_same(walked.values, self.returned(call), rtol, atol):
            return False
        if call.cotangent is None:
            return True
        whole = self._whole(walked)
        return all_same(whole, self.kata.key.returned(call), rtol, atol) if whole else None

    def is_refuted(self, program: Any, call: Any, rtol: float, atol: float) -> bool:
        """Whether the first values of this program already differ from the submission's; arguments as of `agree`."""
        return self._refuted(self._walked(program, call), rtol, atol)

    def same_values(self, program: Any, call: Any, rtol: float = 1e-5, atol: float = 1e-6) -> bool:
        """Whether this program returns what the submission did, gradients left out; arguments as of `agree`."""
        return all_same(self.values(program, call), self.returned(call), rtol, atol * self.slack(call))

    def likes(self, ways: Sequence[Any], call: Any, rtol: float, atol: float) -> Iterator[Any]:
        """Yields the styles of one program that return what the submission did; the first is known not to.

        Args:
            ways: the program in each style.
            call: a call that the kata's key can answer.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        key, output, near = self.kata.key, self.returned(call)[:1], atol * self.slack(call)
        first = self._walked(ways[0], call)
        refuted = set() if all_same(first.values[:1], output, rtol, near) else {key.style_of_the_output(ways[0])}
        for way in ways[1:]:
            style = key.style_of_the_output(way)
            if style in refuted:
                continue
            if not all_same(self.values(way, call, first.walk_through)[:1], output, rtol, near):
                refuted.add(style)
            elif self.agree(way, call, rtol, atol):
                yield way

    def same_output(self, program: Any, call: Any, beside: Any) -> bool:
        """Whether this program returns the submission's output; what comes before the output is compared first.

        Args:
            program: the oracle, with steps replaced.
            call: a call that the kata's key can answer.
            beside: the walk of a program that has more in common with this one than the oracle has.
        """
        walked = self._walked(program, call, beside)
        return not self._refuted(walked) and all_same(walked.values[:1], self.returned(call)[:1])

    def is_untouched(self, program: Any, call: Any) -> bool:
        """Whether this program returns what the oracle does, gradients too, bit for bit."""
        walk = self.walked(program, call)
        if walk is not None:
            return walk.is_the_same or (walk.has_joined and call.cotangent is None)
        answer = self.of(program, call)
        return bool(answer) and all_same(answer, self.of(self.kata.key.oracle, call), 0.0, 0.0)

    def slack(self, call: Any) -> float:
        """The factor by which a right answer to this call may be further off than usual."""
        if id(call) not in self._slack:
            self._slack[id(call)] = self.kata.key.slack(self.kata, call)
        return self._slack[id(call)]

    def returned(self, call: Any) -> list[Any]:
        """What the submission returned, gradients left out."""
        return self.kata.key.returned(_valued(call))

    def size(self, call: Any) -> int:
        """How many numbers a program computes in a call at least."""
        return self.kata.key.size(_valued(call))

    def contradict(self, program: Any, call: Any) -> bool:
        """Whether the submission clearly returned other values in a call than this program does in any style.

        False where the program's own styles differ: the submission may have one that is not among them. False where the
        program returns what the oracle does: the check has judged the difference, which says nothing about the mistake.
        False where both return the same wrong values: the mistake is there, however gradients flow through it.
        """
        key = self.kata.key
        if id(call) not in self._comparable:
            self._comparable[id(call)] = key.is_comparable(self.kata, call)
        if not self._comparable[id(call)] or self.is_untouched(program, call):
            return False
        agrees = self.agree(program, call, *LOOSE)
        if agrees is None:  # it breaks on its shapes, which a right answer contradicts
            return self.same_values(key.oracle, call, *LOOSE)
        if agrees or self.drew(program, call):
            return False
        if self.same_values(program, call, *LOOSE) and not self.same_values(key.oracle, call, *LOOSE):
            return False
        if self.differ(program, call):
            return False
        return call.cotangent is None or not all_same(self.of(program, call), self.of(key.oracle, call), 0.0, 0.0)

    def differ(self, program: Any, call: Any) -> bool:
        """Whether the styles of this program may answer a call differently."""
        walked = self._walked(program, call)
        return bool(walked.values) and self.kata.key.differ(self.kata, program, call, walked.walk, self._beside(call))

    def _refuted(self, walked: ProgramAnswer, rtol: float = 1e-5, atol: float = 1e-6) -> bool:
        program, call, near = walked.program, walked.call, atol * self.slack(walked.call)
        try:
            return self.kata.key.is_refuted(self.kata, program, _valued(call), walked.walk, rtol, near)
        except Exception:  # it breaks on its shapes, as it will again
            return False

    def _walked(self, program: Any, call: Any, beside: Any = None) -> ProgramAnswer:
        if program is self.kata.key.oracle:
            return self._of_oracle(call)
        latest = self._latest
        if beside is None and latest is not None and latest.program is program and latest.call is call:
            return latest
        walked = ProgramAnswer(
            self.kata, program, call, self.kata.key.walk(program, call, beside or self._beside(call))
        )
        if beside is None:
            self._latest = walked
        return walked

    def _of_oracle(self, call: Any) -> ProgramAnswer:
        if id(call) not in self._oracle:
            oracle = self.kata.key.oracle
            self._oracle[id(call)] = ProgramAnswer(self.kata, oracle, call, self.kata.key.walk(oracle, call))
        return self._oracle[id(call)]

    def _beside(self, call: Any) -> Any:
        """The oracle's walk through the call, whose steps another walk can share; None: there is none."""
        return self._of_oracle(call).walk_through

    def _whole(self, walked: ProgramAnswer) -> list[Any]:
        """The answer with gradients, computed once for all programs that take the oracle's own steps."""
        # The values first: only a walk that was taken knows whether it is the oracle's.
        is_oracles = bool(walked.values) and walked.walk is not None and walked.walk.is_the_same
        return (self._of_oracle(walked.call) if is_oracles else walked).whole


def _valued(call: Any) -> Any:
    return call._replace(cotangent=None, gradients=None)
