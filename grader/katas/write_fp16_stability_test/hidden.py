"""`write_fp16_stability_test`: the attentions that a candidate's test is given, a test that is right, and mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from grader.checks import tiers
from grader.checks.draw import Draw
from grader.checks.subject import Implementation
from grader.claims.hidden.testing import (
    ONE_VERDICT,
    TRACES_OF_FUNCTIONS,
    Examined,
    ExaminedKey,
    accepts,
    in_drawn_order,
    refuses,
)
from grader.oracle.catalogue import low_precision as low
from grader.oracle.catalogue.formula import NUMBERS
from grader.oracle.catalogue.masks import MASKS
from grader.oracle.functions import Functions
from grader.oracle.implemented import HEADS_GIVEN, function
from grader.oracle.mistake import Mistake, applied
from grader.oracle.sections import Section

CATALOGUE = {mistake.name: mistake for mistake in (*NUMBERS, *MASKS)}


# The attentions.


class Kind(NamedTuple):
    """One way in which an attention may be right or wrong; what it is, is said by its mistake's sentence."""

    mistake: Mistake
    is_right: bool
    is_plain: bool = False


NOTHING = Mistake("contract", "nothing is rounded but the results")
NOTHING_AGAIN = Mistake("contract_again", NOTHING.sentence)
SPOILED = (
    low.spoiled("nan", "output and weights are NaN in half precision", torch.nan, lambda x: x),
    low.spoiled("infinite", "output and weights are infinite in half precision", torch.inf, lambda x: x),
    low.spoiled(
        "infinite_below", "output and weights are -infinity in half precision", -torch.inf, lambda x: x
    ),
    low.spoiled("nan_in_last_query", "the last query's row is NaN in half precision", torch.nan, lambda x: x[:, :, -1]),
    low.spoiled("nan_in_last_head", "the last head's rows are NaN in half precision", torch.nan, lambda x: x[:, -1]),
    low.spoiled("nan_in_first_sequence", "the first sequence is NaN in half precision", torch.nan, lambda x: x[0]),
)  # fmt: skip
NOT_IMPLEMENTED = RuntimeError("\"softmax_lastdim_kernel_impl\" not implemented for 'Half'")
MIXED = RuntimeError("expected m1 and m2 to have the same dtype, but got: float != c10::BFloat16")
OVERFLOW = RuntimeError("value cannot be converted to type at::Half without overflow")
RAISING = (
    low.raising(
        "raises_in_float16",
        "a step raises in float16",
        NOT_IMPLEMENTED,
        lambda c: low.is_half(c, torch.float16),
    ),
    low.raising("raises_in_bfloat16", "a step raises in bfloat16", MIXED, lambda c: low.is_half(c, torch.bfloat16)),
    low.raising(
        "raises_under_a_mask",
        "the number that hidden scores are filled with has no place in float16, and that raises",
        OVERFLOW,
        lambda c: low.is_half(c, torch.float16) and c.case.allow is not None,
    ),
)


def _kinds(*mistakes: Mistake, is_right: bool = False, is_plain: bool = False) -> tuple[Kind, ...]:
    return tuple(Kind(mistake, is_right, is_plain) for mistake in mistakes)


KINDS = (
    *_kinds(
        NOTHING,
        NOTHING_AGAIN,
        low.QUERIES_SCALED,
        low.ONLINE,
        low.BY_LOGARITHM,
        low.LOWEST_FILL,
        is_right=True,
        is_plain=True,
    ),
    *_kinds(low.WEIGHTS_ROUNDED, low.TRUNCATED, low.BY_HALVES, low.IN_FOUR_PARTS, is_right=True),
    *_kinds(*SPOILED, is_plain=True),
    *_kinds(
        *RAISING,
        CATALOGUE["scores_clamped"],
        CATALOGUE["softmax_by_largest_of_all"],
        CATALOGUE["softmax_by_largest_of_matrix"],
        CATALOGUE["hidden_scores_ten_thousand"],
        low.PRODUCTS_ROUNDED,
        low.PRODUCTS_IN_FLOAT16,
        low.PRODUCTS_SATURATED,
        low.SCORES_ROUNDED,
        low.SCORES_IN_BFLOAT16,
        low.EXP_IN_HALF,
        low.EXP_IN_FLOAT32,
        low.FILL_TIMES_MASK,
        low.SHIFTED_BY_HIDDEN,
        low.SUM_STALLS,
        low.OUTPUT_STALLS,
        low.WEIGHTS_APART,
        low.WEIGHTS_LOST,
        low.FLUSHED,
        low.VALUES_OF_FEW_BITS,
        low.OUTPUT_OF_FEW_BITS,
    ),
)


def examined(draw: Draw) -> tuple[Examined, ...]:
    """All attentions of a run, in an order of its seed.

    Args:
        draw: the same for all checks.
    """
    return in_drawn_order([_examined(kind, draw) for kind in KINDS], draw)


def _examined(kind: Kind, draw: Draw) -> Examined:
    text = f"an attention in which {kind.mistake.sentence}"
    return Examined(kind.mistake.name, text, kind.is_right, _attention(kind.mistake), kind.is_plain, draw.integer())


@cache
def _attention(mistake: Mistake) -> Implementation:
    """The same in each run, so that what it answers to the judge's own questions is computed once."""
    return function(applied((mistake,), HEADS_GIVEN))


# A test that is right, of steps that a mistake replaces.

Inputs: TypeAlias = tuple[Tensor, Tensor, Tensor]
"""q (B, H, L, D), k and v (B, H, S, D), float32."""
Answer: TypeAlias = tuple[Tensor, Tensor]
"""Output (B, H, L, D) and weights (B, H, L, S), float64."""
HIGH, LARGE = 256.0, 384.0
"""One feature of a query and of a key: their product alone is 98304."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A call of an attention in a dtype; each is made once, so that answers can be kept."""

    q: Tensor
    k: Tensor
    v: Tensor
    mask: Tensor | None


def check(steps: Functions, attention: Implementation) -> bool | None:
    """Whether the attention is refused; None where an error of its own is let through."""
    holds = True
    for dtype in steps.dtypes():
        for inputs in (steps.large, steps.long):
            question = _question(inputs, steps.hides, dtype)
            answer = _answer(attention, question)
            if answer is None:
                return steps.raised(steps)
            holds = holds and steps.agree(answer, steps.expected(attention, question), torch.finfo(dtype).eps)
    return steps.refused(holds)


@cache
def _question(inputs: Callable[[], Inputs], hides: Callable[[int], Tensor | None], dtype: torch.dtype) -> Question:
    q, k, v = (x.to(dtype) for x in inputs())
    return Question(q, k, v, hides(k.shape[-2]))


@lru_cache(maxsize=1024)
def _answer(attention: Implementation, question: Question) -> Answer | None:
    """None: it raised."""
    try:
        output, weights = attention.run({}, question.q, question.k, question.v, question.mask)
    except RuntimeError:
        return None
    return output.double(), weights.double()


def _drawn(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(7)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def normal() -> Inputs:
    """Normal numbers."""
    q, k, v = _drawn((2, 2, 16, 64), (2, 2, 16, 64), (2, 2, 16, 64))
    return q, k, v


def large() -> Inputs:
    """Dot products of 98304, or less than 0 by as much, whose differences are those of normal numbers.

    The last key's are twice as large.
    """
    q, k, v = normal()
    q[..., 0], k[..., 0] = HIGH, LARGE
    q[..., 1::2, 0], k[..., -1, 0] = -HIGH, 2 * LARGE
    return q, k, v


def _positive() -> Inputs:
    q, k, v = large()
    q[..., 0] = HIGH
    return q, k, v


def long() -> Inputs:
    """Sums over 8192 keys, of values that do not cancel."""
    q, k, v = _drawn((1, 1, 2, 8), (1, 1, 8192, 8), (1, 1, 8192, 8))
    return q, k, v.abs()


def hides(keys: int) -> Tensor:
    """A mask that hides the last key."""
    return torch.arange(keys) < keys - 1


@cache
def _formula(question: Question) -> Answer:
    output, weights = function(HEADS_GIVEN).run({}, question.q, question.k, question.v, question.mask)
    return output, weights


def expected(attention: Implementation, question: Question) -> Answer:
    """The formula in float64, on inputs that are rounded already."""
    return _formula(_in_float64(question))


@cache
def _in_float64(question: Question) -> Question:
    return Question(question.q.double(), question.k.double(), question.v.double(), question.mask)


def _its_own(attention: Implementation, question: Question) -> Answer:
    return _answer(attention, _in_float64(question)) or expected(attention, question)


def error(answer: Answer, want: Answer) -> Tensor:
    """The mean of the differences, as a share of the mean of what is expected."""
    return (answer[0] - want[0]).abs().mean() / want[0].abs().mean()


def beyond_one(answer: Answer) -> Tensor:
    """How far the weights of a query are from a sum of 1."""
    return (answer[1].sum(-1) - 1).abs().max()


def agree(answer: Answer, want: Answer, eps: float) -> bool:
    """NaN is never below a bound.

    Args:
        answer: of the attention.
        want: what is expected.
        eps: of the dtype.
    """
    return bool((error(answer, want) < 4 * eps) & (beyond_one(answer) < 4 * eps))


def _is_finite(answer: Answer) -> bool:
    return all(bool(x.isfinite().all()) for x in answer)


TEST = Functions(
    check_fp16_stability=check,
    dtypes=lambda: low.HALVES,
    large=large,
    long=long,
    hides=hides,
    raised=lambda steps: steps.refused(holds=False),
    expected=expected,
    agree=agree,
    refused=lambda holds: not holds,
)


def _agrees(name: str, sentence: str, step: Callable[[Answer, Answer, float], bool], why: str) -> Mistake:
    return Mistake(name, sentence, {"agree": step}, why=why)


def _inputs(name: str, sentence: str, why: str, **steps: Callable[..., object]) -> Mistake:
    return Mistake(name, sentence, dict(steps), why=why)


_BOTH = "float16 has the digits and not the range, bfloat16 the range and not the digits: each breaks elsewhere."
_PLACES = "Each number may be finite, each row may sum to 1 and the mean may be right, while another of them is not."
MISTAKES = (
    *ONE_VERDICT,
    _agrees(
        "verdict_inverted",
        "the verdicts were exchanged: what is stable was refused",
        lambda answer, want, eps: not agree(answer, want, eps),
        why="assert raises where its condition is false: the condition is what holds of a stable attention.",
    ),
    _inputs("float16_alone", "bfloat16 was not tried", _BOTH, dtypes=lambda: (torch.float16,)),
    _inputs("bfloat16_alone", "float16 was not tried", _BOTH, dtypes=lambda: (torch.bfloat16,)),
    _inputs(
        "no_masks",
        "no mask was passed",
        "What hides a key is a number as well, and may have no place in the dtype.",
        hides=lambda keys: None,
    ),
    _inputs(
        "no_large_scores",
        "no dot product came near 65504",
        "Normal numbers give dot products of some dozens: no step comes near the end of its range.",
        large=normal,
    ),
    _inputs(
        "large_scores_positive",
        "all scores beyond the range were above 0",
        "What is filled in, or subtracted, fails where a row lies far below it.",
        large=_positive,
    ),
    _inputs(
        "few_keys",
        "no sum ran over more than 4096 keys",
        "A sum of a few dozen terms loses its last digits; one of thousands loses whole terms.",
        long=normal,
    ),
    _agrees(
        "finite_alone",
        "output and weights were looked at for NaN and infinity alone",
        lambda answer, want, eps: _is_finite(answer),
        _PLACES,
    ),
    _agrees(
        "nan_let_pass",
        "NaN was let pass: it was asked whether the error is too large",
        lambda answer, want, eps: not ((error(answer, want) > 4 * eps) | (beyond_one(answer) > 4 * eps)),
        why="Every comparison with NaN is false, so that NaN is never above a bound either.",
    ),
    _agrees(
        "weights_not_looked_at",
        "the output alone was looked at, and no sum of weights",
        lambda answer, want, eps: bool(error(answer, want) < 4 * eps),
        _PLACES,
    ),
    _agrees(
        "output_not_looked_at",
        "the output was compared with no right one: the sums of the weights alone decided",
        lambda answer, want, eps: bool(beyond_one(answer) < 4 * eps),
        _PLACES,
    ),
    Mistake(
        "own_reference",
        "the attention was compared with itself in float64",
        {"expected": _its_own},
        why="What is clamped or filled with a fixed number is as wrong in float64: only the formula tells.",
    ),
    _agrees(
        "tolerance_wide",
        "an error of 5 % was let pass",
        lambda answer, want, eps: bool((error(answer, want) < 0.05) & (beyond_one(answer) < 4 * eps)),
        why="float16 keeps 3 digits and bfloat16 2: an error of 5 % is 50 eps in the one, and 6 in the other.",
    ),
    _agrees(
        "tolerance_tight",
        "an error of half an eps on the mean was refused",
        lambda answer, want, eps: bool((error(answer, want) < eps / 2) & (beyond_one(answer) < 4 * eps)),
        why="Output and weights are rounded once at least, and a stable attention may round more than once.",
    ),
    _agrees(
        "relative_to_each_value",
        "each value was compared with itself: one that is nearly 0 has no digits to lose",
        lambda answer, want, eps: bool(
            torch.allclose(*(x[0] for x in (answer, want)), rtol=16 * eps, atol=0) and beyond_one(answer) < 4 * eps
        ),
        why="A sum that cancels has the error of its terms: the bound belongs to the size of the values, not to it.",
    ),
)

RANGE = Section("Large scores", "Which step of attention leaves the range of float16 first, and which inputs show it?")
SUMS = Section("Long sums", "From how many equal terms on does a sum in float16, or in bfloat16, grow no more?")
MASKING = Section("Masks", "Which number hides a key in float16, whatever the scores are?")
DTYPES = Section("Two half precisions", "What does bfloat16 have that float16 lacks, and the other way round?")
DIGITS = Section("Error on the mean", "What is an output in half precision compared with, and how near must it be?")
KEY = ExaminedKey(
    TEST,
    MISTAKES,
    {
        "dtypes": DTYPES,
        "large": RANGE,
        "long": SUMS,
        "hides": MASKING,
        "expected": DIGITS,
        "agree": DIGITS,
        "refused": DIGITS,
    },
    questions={
        "runs": "What does assert raise, and what does a function return that has no return?",
        "right ones accepted": "What do stable implementations do differently, and how far apart may that take them?",
        "wrong ones caught": "Which inputs bring out each step of attention that breaks in half precision?",
        "leaves no trace": "What of torch is another after your test, and after a refusal?",
    },
    examined=examined,
)

CLAIMS = tiers.hidden(
    accepts("the_contract", "What rounds nothing but its results is accepted.", "contract", "contract_again"),
    accepts("another_order", "What scales its queries before the dot product is accepted.", "queries_scaled"),
    accepts(
        "weights_of_few_digits",
        "What rounds its weights before they meet the values is accepted.",
        "weights_rounded",
        weight=2,
    ),
    accepts(
        "digits_cut_off", "What cuts digits off, and is wrong by an eps or two, is accepted.", "truncated", weight=2
    ),
    accepts(
        "sums_in_parts",
        "What sums its values in half precision, in an order that loses nothing, is accepted.",
        "by_halves",
        "in_four_parts",
        weight=2,
    ),
    accepts("other_softmaxes", "A softmax in blocks, or by a logarithm, is accepted.", "online", "by_logarithm"),
    accepts("other_fills", "A finite number that lies below all scores is accepted.", "lowest_fill"),
    refuses(
        "what_is_not_finite",
        "NaN and infinities are refused, wherever they stand.",
        *(mistake.name for mistake in SPOILED),
    ),
    refuses(
        "what_raises",
        "What raises in half precision is refused, and no other error comes out of the test.",
        *(mistake.name for mistake in RAISING),
        weight=2,
    ),
    refuses(
        "scores_beyond_the_range",
        "Scores that leave the range before they are scaled are refused, as infinity or cut off.",
        "products_rounded",
        "products_saturated",
        weight=2,
    ),
    refuses(
        "powers_beyond_the_range",
        "Powers of scores that nothing was subtracted from are refused.",
        "exp_in_half",
        "exp_in_float32",
    ),
    refuses("scores_clamped", "Large scores that are cut off, and so made equal, are refused.", "scores_clamped"),
    refuses(
        "rows_far_below",
        "A row far below the number that is subtracted from all rows is refused.",
        "softmax_by_largest_of_all",
        "softmax_by_largest_of_matrix",
    ),
    refuses(
        "digits_of_large_scores",
        "Large scores that are rounded to half precision are refused.",
        "scores_rounded",
        "scores_in_bfloat16",
        weight=2,
    ),
    refuses(
        "fills_beyond_the_range",
        "Hidden scores filled with a number that becomes infinity, or that is not below all others, are refused.",
        "fill_times_mask",
        "hidden_scores_ten_thousand",
        weight=2,
    ),
    refuses(
        "hidden_keys_that_count", "A hidden key that takes all digits from the others is refused.", "shifted_by_hidden"
    ),
    refuses(
        "sums_that_stall",
        "Sums over thousands of keys that do not grow any more are refused.",
        "sum_stalls",
        "output_stalls",
        weight=2,
    ),
    refuses(
        "rows_of_other_sums",
        "Weights returned that do not sum to 1 are refused.",
        "weights_apart",
        "weights_lost",
        weight=2,
    ),
    refuses("small_weights_lost", "Small weights that are taken for 0 are refused.", "flushed"),
    refuses("few_digits", "An error of a few percent is refused.", "values_of_few_bits", weight=2),
    refuses(
        "bfloat16_on_its_own",
        "What breaks in bfloat16 alone is refused.",
        "products_in_float16",
        "output_of_few_bits",
        weight=2,
    ),
    *TRACES_OF_FUNCTIONS,
)
