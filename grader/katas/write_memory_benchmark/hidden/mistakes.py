"""The mistakes: steps of the benchmark, and whole functions, that take the place of right ones."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor

from grader.checks.meter import Meter
from grader.checks.subject import WorkerFunction
from grader.katas.write_memory_benchmark.hidden.benchmark import Attention, Rows, Ways, inputs, product_sum, slope, ways
from grader.oracle.functions import Functions
from grader.oracle.mistake import Mistake


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
    """The same meter is entered again at each length; the outputs are dropped or kept."""

    def memory(steps: Functions, given: WorkerFunction, lengths: Sequence[int]) -> Rows:
        function, meter, rows, outputs = given.define(), Meter(), [], []
        for length in steps.chosen(lengths):
            q, k, v = steps.inputs(length)
            with steps.manner(), meter:
                outputs.append(function(q, k, v))
            rows.append((length, meter.peak_bytes))
            if not keep:
                outputs.clear()
        return rows

    return memory


def _caught(row: Callable[[int], Rows]) -> Callable[..., Rows]:
    """What the attention raises is caught; that length gets what `row` returns instead."""

    def memory(steps: Functions, given: WorkerFunction, lengths: Sequence[int]) -> Rows:
        function, rows = given.define(), list[Any]()
        for length in steps.chosen(lengths):
            new = row(length)
            with suppress(Exception):
                new = [(length, steps.peak(ways(steps), function, length))]
            rows += new
        return rows

    return memory


def _each(change: Callable[[int, Any], Any]) -> Callable[[Rows], Rows]:
    """Each row is changed."""
    return lambda rows: [change(length, peak) for length, peak in rows]


def _largest_so_far(rows: Rows) -> Rows:
    return list(zip([length for length, _ in rows], accumulate((peak for _, peak in rows), max), strict=True))


def _neighbours(x: Sequence[float], y: Sequence[float]) -> float:
    steps = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(zip(x, y, strict=True))]
    return sum(steps) / len(steps)


def _between(first: int, last: int) -> Callable[..., float]:
    return lambda x, y: (y[last] - y[first]) / (x[last] - x[first])


def _through(x_0: float, y_0: float, x: Sequence[float], y: Sequence[float]) -> float:
    """The slope of the line of least squares through the point (x_0, y_0)."""
    products = sum((a - x_0) * (b - y_0) for a, b in zip(x, y, strict=True))
    return products / sum((a - x_0) ** 2 for a in x)


def _by(logarithm: Callable[[int], float]) -> Callable[[Sequence[int]], list[float]]:
    return lambda values: [logarithm(value) for value in values]


def _correlation(x: Sequence[float], y: Sequence[float]) -> float:
    return product_sum(x, y) / math.sqrt(product_sum(x, x) * product_sum(y, y))


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
_CARRIED = "A length is measured by itself: what a different length took, or left alive, is none of its memory."
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
        {"given": lambda rows: sorted(rows, key=lambda row: row[1])},
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
        "the bytes were divided by 1024, without the remainder",
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
        {"given": lambda rows: [(length, peak - rows[0][1]) for length, peak in rows]},
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
