"""The attentions that a candidate's test is given, stable in half precision, or not."""

from functools import cache
from typing import NamedTuple

import torch

from grader.checks.draw import Draw
from grader.checks.subject import Implementation
from grader.claims.hidden.testing import GivenImplementation, in_drawn_order
from grader.oracle.catalogue import low_precision as low
from grader.oracle.catalogue.formula import NUMBERS
from grader.oracle.catalogue.masks import MASKS
from grader.oracle.implemented import HEADS_GIVEN, function
from grader.oracle.mistake import Mistake, apply

CATALOGUE = {mistake.name: mistake for mistake in (*NUMBERS, *MASKS)}


class AttentionRecipe(NamedTuple):
    """One way in which an attention may be right or wrong; the sentence of its mistake describes it."""

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
        "the number that hidden scores are filled with is not representable in float16, and that raises",
        OVERFLOW,
        lambda c: low.is_half(c, torch.float16) and c.case.allow is not None,
    ),
)


def _recipes(*mistakes: Mistake, is_right: bool = False, is_plain: bool = False) -> tuple[AttentionRecipe, ...]:
    return tuple(AttentionRecipe(mistake, is_right, is_plain) for mistake in mistakes)


ATTENTIONS = (
    *_recipes(
        NOTHING,
        NOTHING_AGAIN,
        low.QUERIES_SCALED,
        low.ONLINE,
        low.BY_LOGARITHM,
        low.LOWEST_FILL,
        is_right=True,
        is_plain=True,
    ),
    *_recipes(low.WEIGHTS_ROUNDED, low.TRUNCATED, low.BY_HALVES, low.IN_FOUR_PARTS, is_right=True),
    *_recipes(*SPOILED, is_plain=True),
    *_recipes(
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


def examined(draw: Draw) -> tuple[GivenImplementation, ...]:
    """All attentions of a run, in an order that its seed decides.

    Args:
        draw: the same for all checks.
    """
    return in_drawn_order([_examined(recipe, draw) for recipe in ATTENTIONS], draw)


def _examined(recipe: AttentionRecipe, draw: Draw) -> GivenImplementation:
    text = f"an attention in which {recipe.mistake.sentence}"
    return GivenImplementation(
        recipe.mistake.name, text, recipe.is_right, _attention(recipe.mistake), recipe.is_plain, draw.integer()
    )


@cache
def _attention(mistake: Mistake) -> Implementation:
    """The same implementation in each run, so that its answers to the judge's own questions are computed once."""
    return function(apply((mistake,), HEADS_GIVEN))
