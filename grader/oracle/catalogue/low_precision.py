"""Attention in half precision: steps that round to the dtype of the inputs, harmlessly or not.

A candidate's test of stability is given implementations with these steps. The pipeline computes in float64, so that a
step rounds where it says so and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.oracle import pipeline
from grader.oracle.catalogue.formula import NUMBERS
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context, hidden

HALVES = (torch.float16, torch.bfloat16)
LARGEST = 65504.0
"""The largest finite number of float16."""

Rounding = Callable[[Tensor, Context], Tensor]
"""Rounds float64 numbers to fewer digits, and returns them as float64."""


def nearest(x: Tensor, c: Context) -> Tensor:
    """The nearest numbers of the inputs' dtype; beyond its range infinity."""
    return x.to(c.case.query.dtype).double()


def towards_zero(x: Tensor, c: Context, cleared: int = 0) -> Tensor:
    """Digits beyond the inputs' dtype are cut off.

    Args:
        x: float64.
        c: the context, with the inputs.
        cleared: how many of the last bits that the dtype has are cut off too.
    """
    mantissa, exponent = torch.frexp(x)
    bits = 2 ** (1 - cleared) / torch.finfo(c.case.query.dtype).eps
    return torch.ldexp((mantissa * bits).trunc() / bits, exponent)


def bits(kept: int, dtypes: tuple[torch.dtype, ...] = HALVES) -> Rounding:
    """The rounding to a number of significant bits.

    Args:
        kept: that number; 1 leaves only powers of two.
        dtypes: the dtypes of the inputs for which it rounds.
    """

    def rounded(x: Tensor, c: Context) -> Tensor:
        mantissa, exponent = torch.frexp(x)
        fewer = torch.ldexp((mantissa * 2**kept).round() / 2**kept, exponent)
        return fewer if c.case.query.dtype in dtypes else x

    return rounded


def in_float16(x: Tensor, c: Context) -> Tensor:
    """Rounds to float16 where the inputs are bfloat16, whose numbers may be larger."""
    return x.half().double() if c.case.query.dtype == torch.bfloat16 else x


def added_up(terms: Tensor, c: Context, every: int) -> Tensor:
    """The sum over axis 0, with each partial sum rounded to the inputs' dtype.

    Args:
        terms: (S, ...), float64.
        c: the context, with the inputs.
        every: how many terms at a time are added without rounding.
    """
    padding = torch.zeros(-len(terms) % every, *terms.shape[1:], dtype=terms.dtype)
    parts = torch.cat([terms, padding]).unflatten(0, (-1, every)).sum(1).to(c.case.query.dtype)
    total = torch.zeros_like(parts[0])
    for part in parts.unbind(0):
        total = total + part
    return total.double()


def stalling_at_4096(c: Context) -> int:
    """The `every` of `added_up` with which a sum of equal terms stops growing after 4096 terms in the inputs' dtype."""
    eps = torch.finfo(c.case.query.dtype).eps
    return max(1, round(4096 * eps / 2)) if c.case.query.dtype in HALVES else 4096


def _shifted(scores: Tensor) -> Tensor:
    return (scores - scores.amax(-1, keepdim=True)).exp()


def _by_stalled_sum(scores: Tensor, c: Context) -> Tensor:
    powers = _shifted(scores)
    return powers / added_up(powers.movedim(-1, 0), c, stalling_at_4096(c)).unsqueeze(-1)


def _summed_up(weights: Tensor, value: Tensor, c: Context, every: int) -> Tensor:
    """The weighted sum of the values, (B, H, L, D), added key by key.

    Args:
        weights: (B, H, L, S).
        value: (B, H, S, D).
        c: the context, with the inputs.
        every: how many keys at a time are added without rounding.
    """
    terms = weights.movedim(-1, 0)[..., None] * value.movedim(-2, 0)[..., None, :]
    return added_up(terms, c, every)


def _by_halves(weights: Tensor, value: Tensor, c: Context) -> Tensor:
    """The weighted sum of the values by pairwise summation: the sum of each pair is rounded."""
    terms = weights.movedim(-1, 0)[..., None] * value.movedim(-2, 0)[..., None, :]
    while len(terms) > 1:
        odd, half = len(terms) % 2, len(terms) // 2
        rest = terms[: len(terms) - odd]
        terms = torch.cat([nearest(rest[:half] + rest[half:], c), terms[len(terms) - odd :]])
    return terms[0]


def _online(scores: Tensor, c: Context) -> Tensor:
    """The online softmax: blocks of 16 keys with a running maximum and sum (Milakov & Gimelshein 2018)."""
    largest = torch.full_like(scores[..., :1], -torch.inf)
    total = torch.zeros_like(largest)
    for block in scores.split(16, -1):
        now = torch.maximum(largest, block.amax(-1, keepdim=True))
        shown = now.clamp(min=torch.finfo(now.dtype).min)  # all hidden so far
        total = total * (largest - shown).exp() + (block - shown).exp().sum(-1, keepdim=True)
        largest = now
    return (scores - largest).exp() / total


def _step(name: str, sentence: str, why: str = "", **steps: Callable[..., Any]) -> Mistake:
    return Mistake(name, sentence, dict(steps), why=why)


def _after(rounding: Rounding) -> Callable[[Step], Step]:
    return lambda step: lambda *args: rounding(step(*args), args[-1])


# Harmless.

WEIGHTS_ROUNDED = Mistake(
    "weights_rounded",
    "the weights are rounded to the dtype before they meet the values",
    around={"softmax": _after(nearest)},
)
TRUNCATED = Mistake(
    "truncated",
    "digits are cut off, not rounded, and the last bit of the weights is cleared",
    around={
        "softmax": _after(lambda weights, c: towards_zero(weights, c, cleared=1)),
        "weighted_sum": _after(towards_zero),
    },
)
BY_HALVES = _step("by_halves", "the values are summed in the dtype of the inputs, two by two", weighted_sum=_by_halves)
IN_FOUR_PARTS = _step(
    "in_four_parts",
    "the values are summed in four parts, which are added in the dtype of the inputs",
    weighted_sum=lambda weights, value, c: _summed_up(weights, value, c, -(-value.shape[-2] // 4)),
)
ONLINE = _step("online", "the softmax is taken block by block of keys", softmax=_online)
QUERIES_SCALED = _step(
    "queries_scaled",
    "the queries are divided by sqrt(D) before they meet the keys",
    score=lambda query, key, c: pipeline.score(pipeline.scale(query, c), key, c),
    scale=lambda scores, c: scores,
)
BY_LOGARITHM = _step(
    "by_logarithm",
    "the logarithm of the sum is subtracted from the scores",
    softmax=lambda scores, c: (scores - scores.logsumexp(-1, keepdim=True)).exp(),
)
LOWEST_FILL = _step(
    "lowest_fill",
    "hidden scores are filled with the lowest number of float64",
    mask=lambda scores, c: scores.masked_fill(hidden(scores, c), torch.finfo(scores.dtype).min),
)


# Wrong at any inputs.


def _spoiled(number: float, places: Callable[[Tensor], Tensor]) -> dict[str, Callable[[Step], Step]]:
    """Puts a number into a part of the output and of the weights, (B, H, L, .) both, of half-precision inputs."""

    def spoil(x: Tensor, c: Context) -> Tensor:
        if x.dtype in HALVES:
            places(x).fill_(number)
        return x

    return {"project_out": _after(spoil), "give": _after(spoil)}


def spoiled(name: str, sentence: str, number: float, places: Callable[[Tensor], Tensor]) -> Mistake:
    """The mistake of returning numbers that are not finite, whatever the inputs are.

    Args:
        name: the name of the mistake.
        sentence: what is returned, and where in the tensors.
        number: an infinity or NaN.
        places: the part of output and weights, (B, H, L, D or S), as a view.
    """
    return Mistake(name, sentence, around=_spoiled(number, places), why="What is not finite spoils all that follows.")


def raising(name: str, sentence: str, error: Exception, when: Callable[[Context], bool]) -> Mistake:
    """The mistake of a step that does not exist in half precision, and raises.

    Args:
        name: the name of the mistake.
        sentence: in which calls it raises.
        error: what it raises.
        when: whether it raises in a call.
    """

    def mask(scores: Tensor, c: Context) -> Tensor:
        if when(c):
            raise error
        return pipeline.mask(scores, c)

    return Mistake(name, sentence, {"mask": mask}, why="A dtype in which it does not run is none that it supports.")


def is_half(c: Context, *dtypes: torch.dtype) -> bool:
    """Whether the inputs have one of these dtypes; where none is given, any dtype of half precision."""
    return c.case.query.dtype in (dtypes or HALVES)


# Wrong with large scores.

_RANGE = "float16 ends at 65504, and a dot product over D features passes that long before the scaled score does."
_DIGITS = "A large score has no digits left for what sets keys apart: a softmax sees differences, and those are gone."


def _of_products(name: str, sentence: str, rounding: Rounding, why: str) -> Mistake:
    return _step(name, sentence, why, score=lambda query, key, c: rounding(pipeline.score(query, key, c), c))


def _saturated(scores: Tensor, c: Context) -> Tensor:
    return scores.clamp(-LARGEST, LARGEST) if is_half(c) else scores


def _with_softmax(name: str, sentence: str, why: str, softmax: Callable[[Tensor, Context], Tensor]) -> Mistake:
    return _step(name, sentence, why, softmax=softmax)


def _unshifted(dtype: torch.dtype | None) -> Callable[[Tensor, Context], Tensor]:
    """The softmax that overflows, computed in a dtype; None: that of the inputs."""
    (overflows,) = (mistake for mistake in NUMBERS if mistake.name == "unstable_softmax")
    softmax: Step = overflows.steps["softmax"]
    return lambda scores, c: softmax(scores.to(dtype or c.case.query.dtype), c).double()


_EXP = "exp overflows above 11 in float16 and above 88 in float32; any shift of a whole row leaves the weights alone."

PRODUCTS_ROUNDED = _of_products(
    "products_rounded", "the scores are computed in the dtype of the inputs, and scaled afterwards", nearest, _RANGE
)
PRODUCTS_IN_FLOAT16 = _of_products(
    "products_in_float16",
    "the scores of bfloat16 inputs are computed in float16, and scaled afterwards",
    in_float16,
    _RANGE,
)
PRODUCTS_SATURATED = _of_products(
    "products_saturated", "scores beyond 65504 are set to that before they are scaled", _saturated, _RANGE
)
SCORES_ROUNDED = _step(
    "scores_rounded",
    "the scaled scores are rounded to the dtype of the inputs",
    _DIGITS,
    scale=lambda scores, c: nearest(pipeline.scale(scores, c), c),
)
SCORES_IN_BFLOAT16 = _step(
    "scores_in_bfloat16",
    "the scaled scores of float16 inputs are rounded to bfloat16",
    _DIGITS,
    scale=lambda scores, c: (
        pipeline.scale(scores, c).bfloat16().double() if is_half(c, torch.float16) else pipeline.scale(scores, c)
    ),
)
EXP_IN_HALF = _with_softmax(
    "exp_in_half",
    "exp is taken in the dtype of the inputs, and nothing is subtracted from the scores before",
    _EXP,
    _unshifted(None),
)
EXP_IN_FLOAT32 = _with_softmax(
    "exp_in_float32",
    "exp is taken in float32, and nothing is subtracted from the scores before",
    _EXP,
    _unshifted(torch.float32),
)

# Wrong under a mask.

_FILL = "What hides a key must lie below every score that is seen, and within the range of the dtype."
FILL_TIMES_MASK = _step(
    "fill_times_mask",
    "the mask is multiplied by -1e9 in the dtype of the inputs and added: 0 times infinity is NaN",
    _FILL,
    mask=lambda scores, c: (
        pipeline.mask(scores, c)
        if c.case.allow is None
        else scores + nearest(torch.tensor(-1e9, dtype=torch.float64), c) * (~c.case.allow).double()
    ),
)


def _largest_of_hidden_too(scores: Tensor, c: Context) -> Tensor:
    """The softmax in float32, with the maximum taken over hidden scores too."""
    powers = (scores - scores.amax(-1, keepdim=True)).float().exp().masked_fill(hidden(scores, c), 0.0)
    return (powers / powers.sum(-1, keepdim=True)).double()


SHIFTED_BY_HIDDEN = _step(
    "shifted_by_hidden",
    "the largest score that is subtracted may be that of a hidden key",
    "Where a hidden score is larger by 104 than all others, the exponentials of these are all 0.",
    mask=lambda scores, c: scores,
    softmax=_largest_of_hidden_too,
)

# Wrong with many keys.

_STALL = "A sum that has grown beyond 2 / eps times its terms does not change any more: each of them is rounded away."
SUM_STALLS = _with_softmax(
    "sum_stalls",
    "the sum of the exponentials is rounded to the dtype of the inputs as it grows",
    _STALL,
    _by_stalled_sum,
)
OUTPUT_STALLS = _step(
    "output_stalls",
    "the sum of the weighted values is rounded to the dtype of the inputs as it grows",
    _STALL,
    weighted_sum=lambda weights, value, c: _summed_up(weights, value, c, stalling_at_4096(c)),
)


def _weights_apart(weights: Tensor, c: Context) -> Tensor:
    total = added_up(weights.movedim(-1, 0), c, stalling_at_4096(c)).unsqueeze(-1)
    return (weights / total).to(c.case.query.dtype)


WEIGHTS_APART = _step(
    "weights_apart",
    "the weights returned are divided by a sum of them that is rounded as it grows, and the output is right",
    _STALL,
    give=_weights_apart,
)


def _flushed(weights: Tensor, c: Context) -> Tensor:
    smallest = torch.finfo(c.case.query.dtype).eps / 8
    return weights.masked_fill(weights < smallest, 0.0) if is_half(c) else weights


WEIGHTS_LOST = Mistake(
    "weights_lost",
    "weights below an eighth of eps are returned as 0, and the output is right",
    around={"give": _after(_flushed)},
    why="Whoever adds up the returned weights misses what thousands of keys have together.",
)
FLUSHED = Mistake(
    "flushed",
    "weights below an eighth of eps are taken for 0",
    around={"softmax": _after(_flushed)},
    why="Among thousands of keys each weight is that small, and all of them together are everything.",
)

# Wrong in digits alone.

_FEW = "Each value is finite and each row sums to 1: nothing but the right answer shows how many digits are left."
VALUES_OF_FEW_BITS = _step(
    "values_of_few_bits",
    "the values have four significant bits",
    _FEW,
    weighted_sum=lambda weights, value, c: weights @ bits(4)(value, c),
)
OUTPUT_OF_FEW_BITS = Mistake(
    "output_of_few_bits",
    "the output of bfloat16 inputs has one significant bit",
    around={"weighted_sum": _after(bits(1, (torch.bfloat16,)))},
    why=_FEW,
)
