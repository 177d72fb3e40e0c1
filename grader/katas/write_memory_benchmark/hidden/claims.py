"""The claims that are hidden: what a row counts, which line is fitted, and what stays as it was."""

from functools import partial

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.draw import Draw
from grader.checks.expect import Refusal, Tolerance
from grader.checks.subject import Subject, WorkerFunction
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
from grader.katas.write_memory_benchmark.hidden.attentions import EXPLICIT, FUSED, IN_BLOCKS, LINEAR, SQUARE, some_of
from grader.katas.write_memory_benchmark.hidden.benchmark import BENCHMARK, logarithms, measured, slope, ways

SLOW, FAST = 1.3, 1.6
"""Exponents: what grows with the length stays below the first, what grows with its square above the second."""
NEARLY = Tolerance(0.0, 0.03)
"""The tolerance of an attention's bytes: in inference mode SDPA keeps no sums of its rows."""


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
    """Checks that `attention_memory` raises the attention's `Full`, with that message.

    Args:
        subject: the submission.
        given: the attention.
        lengths: the lengths; at some of them the attention raises.
        word: the message.
    """
    what = "an attention that raises Full, an ArithmeticError, at one length"
    expect.refuses(what, partial(with_the_word, subject, given, lengths, word), "Full")


def with_the_word(subject: Subject, given: WorkerFunction, lengths: list[int], word: str) -> None:
    """Asks for the rows, and makes a mismatch of a `Full` with another message; arguments as of `raises`."""
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
"""Lengths, and the factor by which their bytes lie off the line."""


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
    """Checks that the exponent is that of least squares."""
    x, y = (logarithms(values) for values in zip(*given, strict=True))
    expect.close("growth_exponent(rows)", exponent(subject, given), slope(x, y), ROUGH)


def rows_of(subject: Subject, what: str, given: WorkerFunction, lengths: list[int]) -> Tensor:
    """The growth exponent of an attention, after a check that its rows are right.

    Args:
        subject: the submission.
        what: what the attention is.
        given: the attention.
        lengths: the lengths, ascending.
    """
    got = rows(subject, given, lengths)
    expect.equal(f"lengths of the rows of {what}", [length for length, _ in got], lengths)
    peaks = torch.tensor([float(peak) for _, peak in got], dtype=torch.float64)
    want = torch.tensor(measured(ways(BENCHMARK), given, tuple(lengths)), dtype=torch.float64)
    expect.close(f"peak bytes of {what}", peaks, want, NEARLY)
    return exponent(subject, [(length, int(peak)) for length, peak in got])


def lengths_of(draw: Draw) -> list[int]:
    """Four lengths, ascending."""
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
    rows_of(subject, FUSED.what, FUSED.drawn(draw), lengths[:2])  # a mistake with other rows fails here, before 4096
    for each in (FUSED, IN_BLOCKS):
        own_rows = rows(subject, each.drawn(draw), lengths)
        expect.at_most(f"growth exponent of {each.what}", exponent(subject, own_rows), SLOW)
    own_rows = rows(subject, EXPLICIT.drawn(draw), lengths)
    expect.at_least(f"growth exponent of {EXPLICIT.what}", exponent(subject, own_rows), FAST)
    expect.at_least(f"peak bytes of {EXPLICIT.what} at 4096", torch.tensor(float(own_rows[-1][1])), 4.0 * 4096**2)


def nothing_is_disturbed(subject: Subject) -> None:
    """Checks that the last call, which returned or raised, left global state as it was; it may seed as it likes."""
    left = [name for name in subject.remains().disturbed if not any(word in name for word in SEEDS)]
    expect.untouched("global state changed", left)


@NO_TRACE()
def after_rows(subject: Subject, draw: Draw) -> None:
    """After rows that are right, default dtype, grad mode and whatever else torch shares are as before."""
    same_rows(rows(subject, probe(200), [40, 80]), [(length, length * (200 + OUTPUT)) for length in (40, 80)])
    nothing_is_disturbed(subject)
    fitted = exponent(subject, [(40, 1000), (80, 4000)])
    nothing_is_disturbed(subject)
    expect.close("growth_exponent(rows)", fitted, 2.0, ROUGH)


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
