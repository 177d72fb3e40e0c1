"""Mistakes in a causal mask that the contract asks for by a helper, or by an argument beside the mask."""

import torch
from torch import Tensor

from grader.checks.case import Case
from grader.oracle import pipeline
from grader.oracle.catalogue.masks import FIELDS, masked_as
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context


def triangle(queries: int, keys: int | None, diagonal: int) -> Tensor:
    """The causal mask, bool (T, S), True = the query may see the key.

    Args:
        queries: the number of queries, T.
        keys: the number of keys, S; None: as many as queries.
        diagonal: query t sees the keys 0 to t + diagonal.
    """
    return torch.arange(queries if keys is None else keys) <= torch.arange(queries)[:, None] + diagonal


def shift(diagonal: int) -> str:
    """The diagonal as it is written after t, such as `+ 2`.

    Args:
        diagonal: t + diagonal is the last key that query t sees.
    """
    return f"{'+' if diagonal > 0 else '-'} {abs(diagonal)}"


_ITSELF = "A token may see itself: without it the first query sees nothing at all."
_NEXT = "The key after the query is what training is to predict: seen, it is copied."
_AFTER = "The keys after a query are what training is to predict, and those before it are what it may use."
_CORNER = "The contract's triangle starts in the upper left corner: query t sees the keys 0 to t, and no other."

CAUSAL_HELPER = (
    Mistake(
        "causal_mask_without_diagonal",
        "the causal mask lets query t see the keys before t alone, not key t",
        {"causal": lambda queries, keys=None: triangle(queries, keys, -1)},
        why=_ITSELF,
    ),
    Mistake(
        "causal_mask_one_key_more",
        "the causal mask lets query t see key t + 1 too",
        {"causal": lambda queries, keys=None: triangle(queries, keys, 1)},
        why=_NEXT,
    ),
    Mistake(
        "causal_mask_lower_right",
        "the causal mask is aligned at the lower right: the last query sees the last key, whatever their numbers",
        {"causal": lambda queries, keys=None: triangle(queries, keys, 0 if keys is None else keys - queries)},
        why=_CORNER,
    ),
    Mistake(
        "causal_mask_inverted",
        "the causal mask is inverted: query t sees the keys after t alone",
        {"causal": lambda queries, keys=None: ~triangle(queries, keys, 0)},
        why=_AFTER,
    ),
    Mistake(
        "causal_mask_upper",
        "the causal mask is the upper triangle: query t sees key t and the keys after it",
        {"causal": lambda queries, keys=None: ~triangle(queries, keys, -1)},
        why=_AFTER,
    ),
)
"""Mistakes for contracts that have a helper for the causal mask."""


def _hides_other_keys(seen: Step) -> Step:
    """The step `later_keys` with another causal mask than the right one.

    Args:
        seen: makes that mask from L and S: bool (L, S), True = may see.
    """

    def later_keys(scores: Tensor, c: Context) -> Tensor:
        return pipeline.hide(scores, ~seen(scores.shape[-2], scores.shape[-1]), c) if c.case.is_causal else scores

    return later_keys


def is_causal_shifted(diagonal: int) -> Mistake:
    """The mistake of a causal mask with another diagonal than the main one.

    Args:
        diagonal: query t sees the keys 0 to t + diagonal.
    """
    return Mistake(
        "is_causal_shifted",
        f"with is_causal, query t saw the keys up to t {shift(diagonal)}",
        {"later_keys": _hides_other_keys(lambda queries, keys: triangle(queries, keys, diagonal))},
        why=_CORNER,
    )


def _without_masks(case: Case) -> Case:
    return case.but(**dict.fromkeys(FIELDS))


def is_masked(case: Case) -> bool:
    """Whether a mask is given, even one that hides nothing."""
    return any(getattr(case, name) is not None for name in FIELDS)


def _of_either(scores: Tensor, c: Context) -> Tensor:
    """The mask step in which a query sees every key that the causal mask shows, whatever the other masks say."""
    if not (c.case.is_causal and is_masked(c.case)):
        return pipeline.mask(scores, c)
    return pipeline.hide(scores, pipeline.hidden(scores, c) & ~triangle(scores.shape[-2], scores.shape[-1], 0), c)


_LOWER_RIGHT = _hides_other_keys(lambda queries, keys: triangle(queries, keys, keys - queries))
_BOTH = "Each hides what the other may not: a key is seen only where the mask and the triangle both let it be seen."
CAUSAL_FLAG = (
    Mistake(
        "is_causal_ignored",
        "is_causal was ignored: queries saw the keys after them",
        {"later_keys": lambda scores, c: scores},
        why="The triangle is asked for by its name, and no mask need say it: training copies what it must predict.",
    ),
    Mistake(
        "is_causal_ignored_for_one_query",
        "with one query, is_causal was ignored: it saw every key",
        {"later_keys": lambda scores, c: scores if scores.shape[-2] == 1 else pipeline.later_keys(scores, c)},
        why="A single query is the first one, and sees key 0: that it is the last one, as with a cache, nobody said.",
    ),
    Mistake(
        "is_causal_ignored_beside_a_mask",
        "with a mask given, is_causal was ignored",
        {"later_keys": lambda scores, c: scores if is_masked(c.case) else pipeline.later_keys(scores, c)},
        why=_BOTH,
    ),
    masked_as(
        "mask_ignored_beside_is_causal",
        "with is_causal, the mask was ignored",
        lambda case, scores: _without_masks(case) if case.is_causal else case,
        _BOTH,
    ),
    Mistake(
        "is_causal_joined_with_or",
        'the mask and is_causal were joined with "or": a key was seen where either of them let it',
        {
            "mask": _of_either,
            "later_keys": lambda scores, c: scores if is_masked(c.case) else pipeline.later_keys(scores, c),
        },
        why=_BOTH,
    ),
    Mistake(
        "is_causal_lower_right_beside_a_mask",
        "with a mask given, is_causal was aligned at the lower right: the last query saw the last key",
        {"later_keys": lambda scores, c: (_LOWER_RIGHT if is_masked(c.case) else pipeline.later_keys)(scores, c)},
        why=_CORNER,
    ),
    Mistake(
        "is_causal_lower_right",
        "is_causal was aligned at the lower right: the last query saw the last key, whatever their numbers",
        {"later_keys": _LOWER_RIGHT},
        why=_CORNER,
    ),
    Mistake(
        "is_causal_one_key_more",
        "with is_causal, query t saw key t + 1 too",
        {"later_keys": _hides_other_keys(lambda queries, keys: triangle(queries, keys, 1))},
        why=_NEXT,
    ),
    Mistake(
        "is_causal_without_diagonal",
        "with is_causal, query t saw the keys before t alone, not key t",
        {"later_keys": _hides_other_keys(lambda queries, keys: triangle(queries, keys, -1))},
        why=_ITSELF,
    ),
    Mistake(
        "is_causal_inverted",
        "is_causal was inverted: query t saw the keys after t alone",
        {"later_keys": _hides_other_keys(lambda queries, keys: ~triangle(queries, keys, 0))},
        why="scaled_dot_product_attention is told what takes part; other functions are told what is hidden.",
    ),
    Mistake(
        "is_causal_upper",
        "with is_causal, query t saw key t and the keys after it",
        {"later_keys": _hides_other_keys(lambda queries, keys: ~triangle(queries, keys, -1))},
        why=_AFTER,
    ),
)
"""Mistakes for contracts in which is_causal is an argument beside the mask."""
