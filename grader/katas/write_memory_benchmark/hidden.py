"""`write_memory_benchmark`: the attentions that are measured, two functions that are right, and mistakes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.draw import Draw
from grader.checks.expect import Refusal, Tolerance
from grader.checks.meter import Meter
from grader.checks.subject import PLAIN, VALUE_ALONE, AnsweredCall, Call, Manner, Result, Subject, Wish, WorkerFunction
from grader.claims.hidden.testing import SEEDS
from grader.katas.write_memory_benchmark.contract import (
    APART,
    GROWTH,
    HEAD_DIM,
    NO_TRACE,
    OUTPUT,
    PEAKS,
    ROUGH,
    attention,
    exponent,
    probe,
    rows,
    same_rows,
)
from grader.oracle.functions import FunctionKey, Functions, OracleSubject
from grader.oracle.mistake import Mistake
from grader.oracle.sections import Section

SLOW, FAST = 1.3, 1.6
"""Exponents: what grows with the length stays below the first, what grows with its square above the second."""
LONG = 350
"""The longest of the probes, which compute nothing."""
NEARLY = Tolerance(0.0, 0.03)
"""Of the bytes of an attention: in inference mode SDPA keeps no sums of its rows."""
Rows: TypeAlias = Sequence[tuple[Any, Any]]


# The attentions. A `{0}` stands for a number that is drawn.


class Kind(NamedTuple):
    """One way to compute an attention.

    Attributes:
        what: it is, in the words of a report.
        numbers: those to choose from.
        lines: of its body.
        before: source that runs once.
    """

    what: str
    numbers: tuple[int, ...]
    lines: tuple[str, ...]
    before: str = ""

    def drawn(self, draw: Draw) -> WorkerFunction:
        return self.made(self.numbers[draw.integer() % len(self.numbers)])

    def made(self, number: int) -> WorkerFunction:
        return attention(*(line.replace("{0}", str(number)) for line in self.lines), before=self.before)


NONE = (0,)
BLOCKS = (16, 24, 32)
TILES = (
    "rows = []",
    "for i in range(0, q.shape[-2], {0}):",
    "    block = q[..., i : i + {0}, :] / 8",
    "    top = torch.full_like(block[..., :1], -1e30)",
    "    total, output = torch.zeros_like(top), torch.zeros_like(block)",
    "    for j in range(0, k.shape[-2], {0}):",
    "        scores = block @ k[..., j : j + {0}, :].mT",
    "        new = torch.maximum(top, scores.amax(-1, keepdim=True))",
    "        weights, kept = (scores - new).exp(), (top - new).exp()",
    "        total = total * kept + weights.sum(-1, keepdim=True)",
    "        output = output * kept + weights @ v[..., j : j + {0}, :]",
    "        top = new",
    "    rows.append(output / total)",
    "return torch.cat(rows, -2)",
)
LINEAR = (
    Kind("F.scaled_dot_product_attention", NONE, ("return F.scaled_dot_product_attention(q, k, v)",)),
    Kind(
        "F.scaled_dot_product_attention that is causal",
        NONE,
        ("return F.scaled_dot_product_attention(q, k, v, is_causal=True)",),
    ),
    Kind(
        "an attention in blocks of queries",
        BLOCKS,
        (
            "blocks = q.split({0}, -2)",
            "return torch.cat([torch.softmax(block @ k.mT / 8, -1) @ v for block in blocks], -2)",
        ),
    ),
    Kind(
        "an attention in blocks of queries, written into one output",
        BLOCKS,
        (
            "output = torch.empty_like(q)",
            "for i in range(0, q.shape[-2], {0}):",
            "    output[..., i : i + {0}, :] = torch.softmax(q[..., i : i + {0}, :] @ k.mT / 8, -1) @ v",
            "return output",
        ),
    ),
    Kind("an attention in tiles", (32, 48, 64), TILES),
    Kind(
        "an attention without a softmax, whose keys and values are multiplied first",
        NONE,
        ("return F.elu(q) @ (F.elu(k).mT @ v) / q.shape[-2]",),
    ),
    Kind(
        "an attention to a window of keys around each block of queries",
        BLOCKS,
        (
            "near = [slice(max(i - {0}, 0), i + {0}) for i in range(0, q.shape[-2], {0})]",
            "blocks = q.split({0}, -2)",
            "return torch.cat([F.scaled_dot_product_attention(b, k[..., s, :], v[..., s, :])"
            " for b, s in zip(blocks, near)], -2)",
        ),
    ),
    Kind(
        "an attention to some keys that stand for all",
        BLOCKS,
        (
            "some = torch.linspace(0, k.shape[-2] - 1, {0}).long()",
            "return torch.softmax(q @ k[..., some, :].mT / 8, -1) @ v[..., some, :]",
        ),
    ),
    Kind(
        "a mean of all values up to each token",
        NONE,
        ("return v.cumsum(-2) / torch.arange(1, v.shape[-2] + 1)[:, None]",),
    ),
    Kind(
        "an attention in blocks of queries that keeps its answers",
        BLOCKS,
        (
            "blocks = q.split({0}, -2)",
            "kept.append(torch.cat([torch.softmax(block @ k.mT / 8, -1) @ v for block in blocks], -2))",
            "return kept[-1]",
        ),
        "kept = []",
    ),
)
SQUARE = (
    Kind("an attention with explicit weights", NONE, ("return torch.softmax(q @ k.mT / 8, -1) @ v",)),
    Kind(
        "an attention with explicit weights, scaled in place",
        NONE,
        ("scores = q @ k.mT", "scores.div_(8)", "return torch.softmax(scores, -1) @ v"),
    ),
    Kind(
        "an attention with explicit weights under a causal mask",
        NONE,
        (
            "hidden = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).triu(1)",
            "return torch.softmax((q @ k.mT / 8).masked_fill(hidden, -torch.inf), -1) @ v",
        ),
    ),
    Kind(
        "an attention with explicit weights and a bias for each distance",
        NONE,
        (
            "places = torch.arange(q.shape[-2])",
            "return torch.softmax(q @ k.mT / 8 - (places[:, None] - places).abs(), -1) @ v",
        ),
    ),
    Kind(
        "an attention with explicit weights by einsum and exp",
        NONE,
        (
            "weights = torch.einsum('bhld,bhsd->bhls', q, k).div(8).exp()",
            "return torch.einsum('bhls,bhsd->bhld', weights / weights.sum(-1, keepdim=True), v)",
        ),
    ),
    Kind(
        "an attention with explicit weights in bfloat16",
        NONE,
        (
            "weights = torch.softmax((q / 8).bfloat16() @ k.bfloat16().mT, -1)",
            "return (weights @ v.bfloat16()).float()",
        ),
    ),
    Kind(
        "an attention with explicit weights of several heads at once",
        (2, 4),
        (
            "q, k, v = (x.unflatten(-1, ({0}, -1)).squeeze(1).transpose(1, 2) for x in (q, k, v))",
            "return (torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v).transpose(1, 2).flatten(-2)[:, None]",
        ),
    ),
    Kind(
        "an attention with explicit weights, head after head",
        (2, 4),
        (
            "parts = zip(*(x.chunk({0}, -1) for x in (q, k, v)))",
            "return torch.cat([torch.softmax(a @ b.mT / a.shape[-1] ** 0.5, -1) @ c for a, b, c in parts], -1)",
        ),
    ),
    Kind(
        "an attention in blocks whose weights are all kept until the end",
        BLOCKS,
        (
            "blocks = [torch.softmax(block @ k.mT / 8, -1) for block in q.split({0}, -2)]",
            "return torch.cat(blocks, -2) @ v",
        ),
    ),
    Kind(
        "an attention that keeps the weights of its calls",
        NONE,
        ("kept.append(torch.softmax(q @ k.mT / 8, -1))", "return kept[-1] @ v"),
        "kept = []",
    ),
    Kind(
        "F.scaled_dot_product_attention with a mask of all pairs",
        NONE,
        (
            "mask = torch.ones(q.shape[-2], k.shape[-2]).tril().log()",
            "return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
        ),
    ),
    Kind(
        "an attention whose scores are sums of features",
        (4, 6),
        (
            "scores = torch.tanh(q[..., :, None, :{0}] + k[..., None, :, :{0}]).sum(-1)",
            "return torch.softmax(scores, -1) @ v",
        ),
    ),
    Kind(
        "an attention in two halves of queries",
        NONE,
        ("return torch.cat([torch.softmax(half @ k.mT / 8, -1) @ v for half in q.chunk(2, -2)], -2)",),
    ),
    Kind(
        "an attention that is fused for few tokens and explicit for many",
        (300, 400),
        (
            "if q.shape[-2] < {0}:",
            "    return F.scaled_dot_product_attention(q, k, v)",
            "return torch.softmax(q @ k.mT / 8, -1) @ v",
        ),
    ),
)
EXPLICIT, FUSED, IN_BLOCKS = SQUARE[0], LINEAR[0], LINEAR[3]


def some_of(kinds: Sequence[Kind], count: int, draw: Draw) -> list[tuple[str, WorkerFunction]]:
    """So many of the kinds, in an order of the seed, each with what it is.

    Args:
        kinds: to choose from.
        count: how many.
        draw: of the check.
    """
    order = torch.randperm(len(kinds), generator=torch.Generator().manual_seed(draw.integer())).tolist()
    return [(kinds[place].what, kinds[place].drawn(draw)) for place in order[:count]]


# Two functions that are right, of steps that a mistake replaces.

Attention: TypeAlias = Callable[[Tensor, Tensor, Tensor], Tensor]


class Ways(NamedTuple):
    """The steps by which one length is measured."""

    peak: Callable[[Ways, Attention, int], Any]
    inputs: Callable[[int], list[Tensor]]
    manner: Callable[[], AbstractContextManager[Any]]
    read: Callable[[Meter, Any], int]


def ways(steps: Functions) -> Ways:
    return Ways(steps.peak, steps.inputs, steps.manner, steps.read)


def attention_memory(steps: Functions, given: WorkerFunction, lengths: Sequence[int]) -> Rows:
    """A row for each length.

    Args:
        steps: of the benchmark.
        given: the attention.
        lengths: as they were asked for.
    """
    chosen = tuple(steps.chosen(lengths))
    return list(steps.given(list(zip(chosen, measured(ways(steps), given, chosen), strict=True))))


@lru_cache(maxsize=4096)
def measured(by: Ways, given: WorkerFunction, lengths: tuple[int, ...]) -> tuple[Any, ...]:
    """The bytes at each length; most mistakes measure alike, and are tried on the same calls.

    Args:
        by: the steps.
        given: the attention, which is made anew, and keeps what it keeps from length to length.
        lengths: in the order in which they are measured.
    """
    function = given.made()
    return tuple(by.peak(by, function, length) for length in lengths)


def peak(by: Ways, function: Attention, length: int) -> Any:
    """What one call takes.

    Args:
        by: the steps.
        function: the attention.
        length: of its inputs.
    """
    inputs = by.inputs(length)
    with by.manner(), Meter() as meter:
        output = function(*inputs)
    return by.read(meter, output)


def inputs(length: int, *, batch: int = 1, heads: int = 1, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """Queries, keys and values.

    Args:
        length: of each, L.
        batch: B.
        heads: H.
        dtype: of each.
    """
    return [torch.zeros(batch, heads, length, HEAD_DIM, dtype=dtype) for _ in range(3)]


def chosen(lengths: Sequence[int]) -> list[int]:
    return sorted(set(lengths))


def growth_exponent(steps: Functions, given: Rows) -> Any:
    x, y = zip(*given, strict=True)
    return steps.fitted(steps.of_lengths(x), steps.of_bytes(y))


def logarithms(values: Sequence[int]) -> list[float]:
    return [math.log(value) for value in values]


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    return _products(x, y) / _products(x, x)


def _products(x: Sequence[float], y: Sequence[float]) -> float:
    """Of the distances from the means, summed."""
    x_mean, y_mean = (sum(values) / len(values) for values in (x, y))
    return sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))


BENCHMARK = Functions(
    attention_memory=attention_memory,
    growth_exponent=growth_exponent,
    chosen=chosen,
    inputs=inputs,
    manner=torch.no_grad,
    peak=peak,
    read=lambda meter, output: meter.peak_bytes,
    given=lambda found: found,
    of_lengths=logarithms,
    of_bytes=logarithms,
    fitted=slope,
)


# Mistakes.


def _inputs_inside(by: Ways, function: Attention, length: int) -> Any:
    with by.manner(), Meter() as meter:
        output = function(*by.inputs(length))
    return by.read(meter, output)


def _called_twice(by: Ways, function: Attention, length: int) -> Any:
    given = by.inputs(length)
    with by.manner(), Meter() as meter:
        outputs = [function(*given), function(*given)]
    return by.read(meter, outputs[-1])


def _one_meter(keep: bool) -> Callable[..., Rows]:
    """One meter is entered at each length; the outputs are dropped or kept."""

    def memory(steps: Functions, given: WorkerFunction, lengths: Sequence[int]) -> Rows:
        function, meter, found, outputs = given.made(), Meter(), [], []
        for length in steps.chosen(lengths):
            q, k, v = steps.inputs(length)
            with steps.manner(), meter:
                outputs.append(function(q, k, v))
            found.append((length, meter.peak_bytes))
            if not keep:
                outputs.clear()
        return found

    return memory


def _caught(row: Callable[[int], Rows]) -> Callable[..., Rows]:
    """What the attention raises is caught, and another row takes the place of its own."""

    def memory(steps: Functions, given: WorkerFunction, lengths: Sequence[int]) -> Rows:
        function, found = given.made(), list[Any]()
        for length in steps.chosen(lengths):
            new = row(length)
            with suppress(Exception):
                new = [(length, steps.peak(ways(steps), function, length))]
            found += new
        return found

    return memory


def _each(change: Callable[[int, Any], Any]) -> Callable[[Rows], Rows]:
    """Each row is another one."""
    return lambda found: [change(length, peak) for length, peak in found]


def _largest_so_far(found: Rows) -> Rows:
    return list(zip([length for length, _ in found], accumulate((peak for _, peak in found), max), strict=True))


def _neighbours(x: Sequence[float], y: Sequence[float]) -> float:
    steps = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(zip(x, y, strict=True))]
    return sum(steps) / len(steps)


def _between(first: int, last: int) -> Callable[..., float]:
    return lambda x, y: (y[last] - y[first]) / (x[last] - x[first])


def _through(x_0: float, y_0: float, x: Sequence[float], y: Sequence[float]) -> float:
    """The slope of the line of least squares through that point."""
    products = sum((a - x_0) * (b - y_0) for a, b in zip(x, y, strict=True))
    return products / sum((a - x_0) ** 2 for a in x)


def _by(logarithm: Callable[[int], float]) -> Callable[[Sequence[int]], list[float]]:
    return lambda values: [logarithm(value) for value in values]


def _correlation(x: Sequence[float], y: Sequence[float]) -> float:
    return _products(x, y) / math.sqrt(_products(x, x) * _products(y, y))


def _intercept(x: Sequence[float], y: Sequence[float]) -> float:
    return sum(y) / len(y) - slope(x, y) * sum(x) / len(x)


def _rows(name: str, sentence: str, change: Callable[[int, Any], Any], why: str) -> Mistake:
    return Mistake(name, sentence, {"given": _each(change)}, why=why)


def _chosen(name: str, sentence: str, which: Callable[[Sequence[int]], list[int]]) -> Mistake:
    return Mistake(name, sentence, {"chosen": which}, why=_ONCE)


def _given(name: str, sentence: str, make: Callable[[int], list[Tensor]]) -> Mistake:
    return Mistake(name, sentence, {"inputs": make}, why=_SIZE)


def _whole(name: str, sentence: str, memory: Callable[..., Rows], why: str) -> Mistake:
    return Mistake(name, sentence, {"attention_memory": memory}, why=why)


def _read(name: str, sentence: str, read: Callable[[Meter, Tensor], int], why: str) -> Mistake:
    return Mistake(name, sentence, {"read": read}, why=why)


def _fitted(name: str, sentence: str, fit: Callable[[Sequence[float], Sequence[float]], float], why: str) -> Mistake:
    return Mistake(name, sentence, {"fitted": fit}, why=why)


_ONCE = "Who plots rows, or reads the last one as the longest, counts on one for each length, ascending."
_SIZE = "Bytes are comparable only where sizes are: q, k and v are [1, 1, L, 64] in float32."
_UNIT = "A row says how many bytes the call took: a factor makes it another quantity."
_CARRIED = "A length is measured by itself: what another one took, or left alive, is none of its memory."
_RAISED = "Who asks at which length memory ends wants the error: a row in its place is a number that nobody measured."
_LOG = "A power L^p is a line of slope p only where both axes are logarithmic, to one base."
_ALL = "Least squares weighs every row: a slope between two of them is as wrong as these two are."
_LINE = "The line has a slope and an intercept, and the slope alone is the exponent."
_OPEN = "A factor before the power is a shift on logarithmic axes: the line goes through no point that is known before."
_GONE = "The most that is alive at once decides whether a length fits: what is left in the end does not."

MISTAKES = (
    Mistake(
        "inputs_counted",
        "the inputs were made inside the meter, and counted",
        {"peak": _inputs_inside},
        why="The inputs are there in any case: what an attention takes is what it makes.",
    ),
    Mistake(
        "called_twice",
        "the attention was called twice inside one meter, with the first output alive",
        {"peak": _called_twice},
        why="A warm-up belongs outside: what its call left alive is counted with the next one.",
    ),
    Mistake(
        "gradients_on",
        "gradients were recorded while the attention ran",
        {"manner": torch.enable_grad},
        why="A graph keeps what each operator needs for its gradient: nothing that it holds is freed in the call.",
    ),
    _read(
        "output_subtracted",
        "the bytes of the output were subtracted",
        lambda meter, output: meter.peak_bytes - output.nbytes,
        "The output is made inside and alive at the end: it is part of what the call takes.",
    ),
    _read(
        "end_counted",
        "the bytes alive after the call were taken for the peak",
        lambda meter, output: meter.alive_bytes,
        _GONE,
    ),
    _whole("one_meter", "one meter went on from length to length", _one_meter(keep=False), _CARRIED),
    _whole(
        "one_meter_outputs_kept",
        "one meter went on from length to length, with the outputs of all alive",
        _one_meter(keep=True),
        _CARRIED,
    ),
    Mistake(
        "largest_so_far",
        "a row has the largest peak of all lengths up to its own",
        {"given": _largest_so_far},
        why=_CARRIED,
    ),
    _whole("raised_left_out", "a length at which the attention raised was left out", _caught(lambda _: ()), _RAISED),
    _whole(
        "raised_as_zero",
        "a length at which the attention raised got 0 bytes",
        _caught(lambda length: [(length, 0)]),
        _RAISED,
    ),
    _chosen("order_as_given", "the rows stand in the order of the lengths given", lambda of: list(dict.fromkeys(of))),
    _chosen("repeats_kept", "a length that is given twice has two rows", sorted),
    _chosen("all_as_given", "there is a row for each length given, in that order", list),
    _chosen("descending", "the rows descend", lambda lengths: sorted(set(lengths), reverse=True)),
    Mistake(
        "sorted_by_bytes",
        "the rows were sorted by their bytes",
        {"given": lambda found: sorted(found, key=lambda row: row[1])},
        why=_ONCE,
    ),
    _given("in_float64", "q, k and v were given in float64", lambda length: inputs(length, dtype=torch.float64)),
    _given("in_half", "q, k and v were given in half precision", lambda length: inputs(length, dtype=torch.float16)),
    _given("two_sequences", "q, k and v were given with 2 sequences", lambda length: inputs(length, batch=2)),
    _given("eight_heads", "q, k and v were given 8 times: B * H was 8, not 1", lambda length: inputs(length, heads=8)),
    _given(
        "axes_exchanged",
        "q, k and v were given as [1, L, 1, 64]",
        lambda length: [each.transpose(1, 2) for each in inputs(length)],
    ),
    _rows("pairs_exchanged", "the rows are (bytes, length)", lambda length, peak: (peak, length), _ONCE),
    _rows("elements", "the bytes were divided by 4", lambda length, peak: (length, peak // 4), _UNIT),
    _rows("kibibytes", "the bytes were divided by 1024", lambda length, peak: (length, peak / 1024), _UNIT),
    _rows(
        "whole_kibibytes",
        "the bytes were divided by 1024, without a rest",
        lambda length, peak: (length, peak // 1024),
        _UNIT,
    ),
    _rows("mebibytes", "the bytes were divided by 1024 ** 2", lambda length, peak: (length, peak / 2**20), _UNIT),
    _rows(
        "for_each_token", "the bytes were divided by the length", lambda length, peak: (length, peak // length), _UNIT
    ),
    Mistake(
        "first_subtracted",
        "the bytes of the first row were subtracted from all",
        {"given": lambda found: [(length, peak - found[0][1]) for length, peak in found]},
        why=_UNIT,
    ),
    Mistake(
        "no_logarithms",
        "the slope is that of bytes over lengths, without logarithms",
        {"of_lengths": list, "of_bytes": list},
        why=_LOG,
    ),
    Mistake("lengths_plain", "no logarithm of the lengths was taken", {"of_lengths": list}, why=_LOG),
    Mistake("bytes_plain", "no logarithm of the bytes was taken", {"of_bytes": list}, why=_LOG),
    Mistake(
        "bytes_to_base_2",
        "the logarithms are to base 2 of the bytes, and natural ones of the lengths",
        {"of_bytes": _by(math.log2)},
        why=_LOG,
    ),
    Mistake(
        "bytes_to_base_10",
        "the logarithms are to base 10 of the bytes, and natural ones of the lengths",
        {"of_bytes": _by(math.log10)},
        why=_LOG,
    ),
    Mistake(
        "lengths_to_base_2",
        "the logarithms are to base 2 of the lengths, and natural ones of the bytes",
        {"of_lengths": _by(math.log2)},
        why=_LOG,
    ),
    _fitted("ends_alone", "the slope is that between the first and the last row", _between(0, -1), _ALL),
    _fitted("last_two", "the slope is that between the last two rows", _between(-2, -1), _ALL),
    _fitted("first_two", "the slope is that between the first two rows", _between(0, 1), _ALL),
    _fitted("neighbours", "the slope is the mean of those between neighbouring rows", _neighbours, _ALL),
    _fitted(
        "axes_of_the_fit_exchanged",
        "the slope is that of lengths over bytes",
        lambda x, y: slope(y, x),
        "The bytes depend on the length, and least squares counts the distances of what depends.",
    ),
    _fitted(
        "one_over_that",
        "the slope is 1 over that of lengths over bytes",
        lambda x, y: 1 / slope(y, x),
        "That line has the least squares in the lengths, and is too steep where rows lie off it.",
    ),
    _fitted("through_the_origin", "the line was held to go through the origin", partial(_through, 0.0, 0.0), _OPEN),
    _fitted(
        "through_the_first",
        "the line was held to go through the first row",
        lambda x, y: _through(x[0], y[0], x, y),
        _OPEN,
    ),
    _fitted("correlation", "the correlation was taken for the slope", _correlation, _LINE),
    _fitted("intercept", "the intercept was returned", _intercept, _LINE),
    _fitted(
        "one_row_less_in_the_covariance",
        "the covariance was divided by one row less, the variance by all",
        lambda x, y: slope(x, y) * len(x) / (len(x) - 1),
        "Where both are divided by the same number it cancels: numpy's cov and var do not by default.",
    ),
    _fitted(
        "whole_number",
        "the exponent was rounded to a whole number",
        lambda x, y: float(round(slope(x, y))),
        "Between 1.3 and 1.6 lies what grows otherwise: a whole number hides it.",
    ),
)

INSIDE = Section(
    "What is inside", "Which tensors exist before the call, and which does the call make that are gone when it ends?"
)
FORWARD = Section("Gradients", "Which tensors does a graph hold until backward, and what does that do to a peak?")
LENGTHS = Section(
    "One length at a time", "What of one measurement may reach the next, and what would a plot show then?"
)
SAME = Section("The same sizes", "Which sizes besides the length change the bytes, and how would you compare two runs?")
FIT = Section("A line on logarithmic axes", "What are slope and intercept of a power law on logarithmic axes?")


class Measured(OracleSubject):
    """What the attention raises is told as a worker tells it."""

    def answer(self, call: Call, manner: Manner = PLAIN, wish: Wish = VALUE_ALONE) -> Result:
        try:
            return super().answer(call, manner, wish)
        except ArithmeticError as error:
            kinds = tuple(kind.__name__ for kind in type(error).__mro__)
            raise Refusal(kinds[0], kinds, str(error), None) from error


class BenchmarkKey(FunctionKey):
    """The answers of two functions, of which one runs the attentions in the judge."""

    def fixtures(self, kata: Any, program: Functions, trace: Any, drawn: Sequence[Any]) -> dict[str, Any]:
        return {"subject": Measured(program, trace)}

    def is_exact(self, call: AnsweredCall) -> bool:
        """Pairs of mistakes are tried where that takes no time."""
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
        "attentions apart": "Which tensor of attention grows with the square, and who never makes it as a whole?",
        "leaves no trace": "Which settings of torch does your function change, and who puts them back after an error?",
    },
)


# The claims.


@PEAKS(weight=2)
def inputs_do_not_count(subject: Subject, draw: Draw) -> None:
    """An attention that makes next to nothing has a row that small: q, k and v do not count."""
    small = 1 + draw.integer() % 50
    given = attention(f"return q.new_empty({small})")
    same_rows(rows(subject, given, [100, 300]), [(100, 4 * small), (300, 4 * small)])
    viewed = attention("return (q.mT, k[..., 1:, :], v)[1]")
    same_rows(rows(subject, viewed, [50, 70]), [(50, 0), (70, 0)])


@PEAKS(weight=2)
def no_gradient_is_recorded(subject: Subject, draw: Draw) -> None:
    """An attention with parameters takes what it takes without gradients: no graph keeps its tensors."""
    times = 4 + draw.integer() % 5
    given = attention(
        f"for _ in range({times}):",
        "    q = torch.sigmoid(q * weight)",
        "return q",
        before="weight = torch.nn.Parameter(torch.ones(64))",
    )
    same_rows(rows(subject, given, [30, 90]), [(length, length * 3 * OUTPUT) for length in (30, 90)])


@PEAKS(weight=2)
def a_longer_one_may_take_less(subject: Subject, draw: Draw) -> None:
    """A length's row knows nothing of the lengths before it, where these took more."""
    most, size = 400 + draw.integer() % 100, 300 + draw.integer() % 100
    given = attention(f"extra = q.new_empty(({most} - q.shape[-2]) * {size})", "return torch.zeros_like(q)")
    want = [(length, length * OUTPUT + (most - length) * size * 4) for length in (50, 150, 350)]
    same_rows(rows(subject, given, [350, 50, 150]), want)


@PEAKS(weight=2)
def what_is_kept_counts_once(subject: Subject, draw: Draw) -> None:
    """What the attention keeps alive counts in the row of its own length alone."""
    size = 100 + draw.integer() % 100
    given = attention(
        f"kept.append(q.new_empty(q.shape[-2] * {size}))", "return torch.zeros_like(q)", before="kept = []"
    )
    want = [(length, length * (OUTPUT + 4 * size)) for length in (20, 60, 110)]
    same_rows(rows(subject, given, [20, 60, 110]), want)


@PEAKS(weight=2)
def the_peak_is_inside_the_call(subject: Subject, draw: Draw) -> None:
    """The peak is that of any moment of the call, in any dtype and order of what is made and freed."""
    one, other, third = (60 + draw.integer() % 60 for _ in range(3))
    given = attention(
        "length = q.shape[-2]",
        f"first = torch.empty(length * {one}, dtype=torch.float64)",
        f"second = torch.empty(length, {other}, dtype=torch.uint8)",
        "view = second[1:].T",
        "del second",
        f"third = torch.empty({third} * length, dtype=torch.bfloat16)",
        "del first, view",
        "return torch.zeros_like(v)",
    )
    each = 8 * one + other + 2 * third
    same_rows(rows(subject, given, [64, 65, 66]), [(length, length * each) for length in (64, 65, 66)])


@PEAKS(weight=2)
def sizes_are_those_of_the_contract(subject: Subject, draw: Draw) -> None:
    """The attention is given q, k and v of [1, 1, L, 64] in float32."""
    numbers = [1 + draw.integer() % 90 for _ in range(5)]
    given = attention(
        "sizes = [*q.shape, q.element_size()]",
        f"many = sum(size * number for size, number in zip(sizes, {numbers}))",
        "alike = q.shape == k.shape == v.shape and q.dtype == k.dtype == v.dtype == torch.float32",
        "return torch.empty(many + 5 * (not alike), dtype=torch.uint8)",
    )
    want = [
        (length, sum(size * number for size, number in zip((1, 1, length, HEAD_DIM, 4), numbers, strict=True)))
        for length in (1, 40, 77)
    ]
    same_rows(rows(subject, given, [1, 40, 77]), want)


@PEAKS(weight=2)
def what_it_raises_is_passed_on(subject: Subject, draw: Draw) -> None:
    """What the attention raises, at whatever length, is raised as it is."""
    bound, word = 60 + draw.integer() % 30, f"no {draw.integer()} bytes are left"
    given = attention(
        f"if q.shape[-2] > {bound}:",
        f"    raise Full({word!r})",
        "return torch.zeros_like(q)",
        before="class Full(ArithmeticError): pass\n",
    )
    same_rows(rows(subject, given, [20, 50]), [(20, 20 * OUTPUT), (50, 50 * OUTPUT)])
    for lengths in ([30, 200], [200, 30], [100]):
        raises(subject, given, lengths, word)


def raises(subject: Subject, given: WorkerFunction, lengths: list[int], word: str) -> None:
    """It raises `Full` with that word.

    Args:
        subject: the submission.
        given: the attention.
        lengths: of which it refuses some.
        word: of its message.
    """
    what = "an attention that raises Full, an ArithmeticError, at one length"
    expect.refuses(what, partial(with_the_word, subject, given, lengths, word), "Full")


def with_the_word(subject: Subject, given: WorkerFunction, lengths: list[int], word: str) -> None:
    """A refusal whose message is another one becomes a mismatch; arguments as of `raises`."""
    try:
        rows(subject, given, lengths)
    except Refusal as refusal:
        if "Full" in refusal.bases:
            expect.equal("message of what is raised", refusal.message, word)
        raise


OFF_THE_LINE = (
    {64: 1, 100: 6, 256: 1, 700: 9, 1024: 2},
    {128: 3, 256: 1, 512: 8, 1024: 2, 2048: 9, 4096: 1},
    {10: 1, 20: 7, 1000: 2},
)
"""Lengths, and by how much their bytes are off."""


@GROWTH(weight=3)
def rows_off_the_line(subject: Subject, draw: Draw) -> None:
    """Where rows lie off the line, all of them count: the slope is that of least squares on logarithms."""
    for off in OFF_THE_LINE:
        fits(subject, [(length, length * times * (900 + draw.integer() % 200)) for length, times in off.items()])


@GROWTH()
def two_rows(subject: Subject, draw: Draw) -> None:
    """Two rows are enough, with bytes that fall or stay as well."""
    fits(subject, [(128, 5000 + draw.integer() % 5000), (4096, 100_000 + draw.integer() % 5000)])
    fits(subject, [(100, 9000 + draw.integer() % 500), (300, 4000 + draw.integer() % 500)])
    fits(subject, [(100, 9000), (300, 9000)])


@GROWTH(weight=2)
def rows_in_any_order(subject: Subject, draw: Draw) -> None:
    """Rows in another order have the same exponent."""
    off = {64: 2, 150: 9, 333: 1, 1000: 4, 5000: 3}
    given = [(length, length * times * (900 + draw.integer() % 200)) for length, times in off.items()]
    for order in ((4, 3, 2, 1, 0), (2, 0, 4, 1, 3)):
        fits(subject, [given[place] for place in order])


@GROWTH(weight=2)
def large_and_uneven(subject: Subject, draw: Draw) -> None:
    """Large numbers of bytes, and lengths that lie unevenly, have the exponent of least squares too."""
    off = {100: 9, 110: 1, 120: 7, 130: 2, 4000: 5, 32768: 1, 1_000_000: 3}
    fits(subject, [(length, length**2 * times * (90 + draw.integer() % 20)) for length, times in off.items()])


def fits(subject: Subject, given: list[tuple[int, int]]) -> None:
    """The exponent is that of least squares."""
    x, y = (logarithms(values) for values in zip(*given, strict=True))
    expect.close("growth_exponent(rows)", exponent(subject, given), slope(x, y), ROUGH)


def rows_of(subject: Subject, what: str, given: WorkerFunction, lengths: list[int]) -> Tensor:
    """The growth exponent of an attention, whose rows are right.

    Args:
        subject: the submission.
        what: the attention is.
        given: the attention.
        lengths: ascending.
    """
    got = rows(subject, given, lengths)
    expect.equal(f"lengths of the rows of {what}", [length for length, _ in got], lengths)
    peaks = torch.tensor([float(peak) for _, peak in got], dtype=torch.float64)
    want = torch.tensor(measured(ways(BENCHMARK), given, tuple(lengths)), dtype=torch.float64)
    expect.close(f"peak bytes of {what}", peaks, want, NEARLY)
    return exponent(subject, [(length, int(peak)) for length, peak in got])


def lengths_of(draw: Draw) -> list[int]:
    """Four, ascending."""
    return [width + draw.integer() % 40 for width in (240, 410, 620, 900)]


@APART(weight=2)
def what_grows_with_the_length(subject: Subject, draw: Draw) -> None:
    """Fused, blocked, tiled and linear attentions have their bytes, and an exponent of 1.3 or less."""
    for what, given in some_of(LINEAR, 8, draw):
        expect.at_most(f"growth exponent of {what}", rows_of(subject, what, given, lengths_of(draw)), SLOW)


@APART(weight=2)
def what_grows_with_the_square(subject: Subject, draw: Draw) -> None:
    """Attentions that make all weights, somehow, have their bytes, and an exponent of 1.6 or more."""
    for what, given in some_of(SQUARE, 11, draw):
        expect.at_least(f"growth exponent of {what}", rows_of(subject, what, given, lengths_of(draw)), FAST)


@APART()
def from_128_to_4096(subject: Subject, draw: Draw) -> None:
    """From 128 to 4096 explicit weights grow with 1.6 or more, blocks and F.scaled_dot_product_attention with 1.3."""
    lengths = [128, 512, 1024, 4096]
    rows_of(subject, FUSED.what, FUSED.drawn(draw), lengths[:2])  # a mistake that gives others is not tried at 4096
    for kind in (FUSED, IN_BLOCKS):
        found = rows(subject, kind.drawn(draw), lengths)
        expect.at_most(f"growth exponent of {kind.what}", exponent(subject, found), SLOW)
    found = rows(subject, EXPLICIT.drawn(draw), lengths)
    expect.at_least(f"growth exponent of {EXPLICIT.what}", exponent(subject, found), FAST)
    expect.at_least(f"peak bytes of {EXPLICIT.what} at 4096", torch.tensor(float(found[-1][1])), 4.0 * 4096**2)


def nothing_is_disturbed(subject: Subject) -> None:
    """By the last call, whether it returned or raised; it may seed as it likes."""
    left = [name for name in subject.remains().disturbed if not any(word in name for word in SEEDS)]
    expect.equal("global state changed", ", ".join(left) or "none", "none")


@NO_TRACE()
def after_rows(subject: Subject, draw: Draw) -> None:
    """After rows that are right, default dtype, grad mode and whatever else torch shares are as before."""
    same_rows(rows(subject, probe(200), [40, 80]), [(length, length * (200 + OUTPUT)) for length in (40, 80)])
    nothing_is_disturbed(subject)
    found = exponent(subject, [(40, 1000), (80, 4000)])
    nothing_is_disturbed(subject)
    expect.close("growth_exponent(rows)", found, 2.0, ROUGH)


@NO_TRACE()
def after_an_error(subject: Subject, draw: Draw) -> None:
    """Where the attention raised, they are so too."""
    given = attention("raise Full('full')", before="class Full(ArithmeticError): pass\n")
    raises(subject, given, [40, 80], "full")
    nothing_is_disturbed(subject)


CLAIMS = tiers.hidden(
    inputs_do_not_count,
    no_gradient_is_recorded,
    a_longer_one_may_take_less,
    what_is_kept_counts_once,
    the_peak_is_inside_the_call,
    sizes_are_those_of_the_contract,
    what_it_raises_is_passed_on,
    rows_off_the_line,
    two_rows,
    rows_in_any_order,
    large_and_uneven,
    what_grows_with_the_length,
    what_grows_with_the_square,
    from_128_to_4096,
    after_rows,
    after_an_error,
)
