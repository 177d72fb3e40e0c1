"""Mistakes that confuse bool masks with float masks, and mistakes with two masks that are given together."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from grader.checks.case import Case
from grader.checks.draw import causal
from grader.oracle import pipeline
from grader.oracle.catalogue.masks import masked_as
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context, hidden


def _as_bool(case: Case, scores: Tensor) -> Case:
    """The float mask read as bool: -inf is not 0, so it becomes True, which allows; 0 becomes False, which hides."""
    if not case.has_float_mask:
        return case
    allow = case.bias != 0 if case.bias is not None else None if case.allow is None else ~case.allow
    return case.but(allow=allow, bias=None)


def _nonzero_hidden(case: Case, scores: Tensor) -> Case:
    return case if case.bias is None else case.but(allow=case.bias == 0, bias=None)


def _negative_hidden(case: Case, scores: Tensor) -> Case:
    return case if case.bias is None else case.but(allow=case.bias >= 0, bias=None)


def _subtracted(case: Case, scores: Tensor) -> Case:
    return case if case.bias is None else case.but(bias=-case.bias)


def _positive_seen(case: Case, scores: Tensor) -> Case:
    if not case.has_float_mask:
        return case
    allow = case.bias > 0 if case.bias is not None else None if case.allow is None else torch.zeros_like(case.allow)
    return case.but(allow=allow, bias=None)


def _joined_otherwise(join: Callable[[Tensor, Tensor], Tensor]) -> Step:
    """A mask step that joins scores and float mask otherwise than by adding.

    Args:
        join: from the scores and the mask; where the mask hides it is -inf, or the number that the style hides with.
    """

    def mask(scores: Tensor, c: Context) -> Tensor:
        case = c.case
        if not case.has_float_mask:
            return pipeline.mask(scores, c)
        given = torch.zeros_like(scores)
        if case.bias is not None:
            given = given + pipeline.over_heads(case.bias, scores, case).clamp(min=torch.finfo(scores.dtype).min)
        given = pipeline.hide(given, hidden(scores, replace(c, case=case.but(keep=None))), c)
        return pipeline.mask(join(scores, given), replace(c, case=case.but(allow=None, bias=None)))

    return mask


def _scaled_after_mask(scores: Tensor, c: Context) -> Tensor:
    return pipeline.scale(pipeline.mask(scores, c), c)


_ADDED = "A float mask is a bias on the scores: its finite values move weight between keys and hide none."
_OTHER_SIGN = "With the other sign a key that the mask favours loses weight."

FLOAT_MASKS = (
    masked_as(
        "float_mask_values_ignored",
        "of the float mask only -inf was used: its other values were not added to the scores",
        lambda case, scores: case.but(bias=None),
        _ADDED,
    ),
    masked_as(
        "float_mask_as_bool",
        "the float mask was taken as bool: -inf, which hides, became True, which allows",
        _as_bool,
        "A float mask is added: 0 changes nothing and -inf hides, the other way round than False and True.",
    ),
    masked_as(
        "float_mask_hides_nonzero",
        "every value of the float mask but 0 hid its key",
        _nonzero_hidden,
        _ADDED,
    ),
    masked_as(
        "float_mask_sign_alone",
        "only the sign of the float mask was used: what is below 0 hid its key, the rest did nothing",
        _negative_hidden,
        _ADDED,
    ),
    masked_as(
        "float_mask_negative_hides",
        "every value of the float mask below 0 hid its key; only those above were added",
        lambda case, scores: case if case.bias is None else case.but(allow=case.bias >= 0),
        _ADDED,
    ),
    masked_as(
        "float_mask_positive_seen",
        "only keys where the float mask is above 0 were seen: 0 hid its key too",
        _positive_seen,
        _ADDED,
    ),
    masked_as(
        "float_mask_subtracted",
        "the float mask was subtracted from the scores, not added",
        _subtracted,
        _OTHER_SIGN,
    ),
    Mistake(
        "float_mask_subtracted_where_it_hides",
        "the float mask was subtracted from the scores, not added: hidden keys got the largest scores",
        {"mask": _joined_otherwise(torch.sub)},
        why=_OTHER_SIGN,
    ),
    Mistake(
        "float_mask_sign_added",
        "the sign of the float mask was added to the scores: -1 is a small change of a score, and hides nothing",
        {"mask": _joined_otherwise(lambda scores, given: scores + given.sign())},
        why=_ADDED,
    ),
    Mistake(
        "float_mask_multiplied",
        "the scores were multiplied by the float mask, not added to it",
        {"mask": _joined_otherwise(torch.mul)},
        why="A product makes a score of 0 where the mask has 0, and +inf where a score below 0 meets -inf.",
    ),
    Mistake(
        "float_mask_scaled",
        "the float mask was divided by sqrt(head_dim) together with the scores",
        {"scale": lambda scores, c: scores, "mask": _scaled_after_mask},
        why="The mask is added to the scaled scores; a scale that comes after it shrinks the bias too.",
    ),
)
"""Mistakes for contracts in which a float mask is added to the scores."""

_ONES = "a float mask of 0 and 1 was added to the scores: 1 is a small change of a score, and hides nothing"
_ONES_WHY = "The contract's float mask holds the same 0 and 1 as its bool mask; only -inf hides when it is added."
FLOAT_ONES_ADDED_TO_HIDDEN = Mistake(
    "float_mask_added",
    _ONES,
    {"mask": lambda scores, c: scores + hidden(scores, c) if c.case.has_float_mask else pipeline.mask(scores, c)},
    why=_ONES_WHY,
)
FLOAT_ONES_ADDED_TO_SEEN = Mistake(
    "float_mask_added",
    _ONES,
    {"mask": lambda scores, c: scores + ~hidden(scores, c) if c.case.has_float_mask else pipeline.mask(scores, c)},
    why=_ONES_WHY,
)

MULTIPLIED_BY_HIDDEN = Mistake(
    "mask_multiplied",
    "the scores were multiplied by the mask, 1 where hidden: the scores of what may be seen became 0",
    {"mask": lambda scores, c: scores if c.case.allow is None and c.case.keep is None else scores * hidden(scores, c)},
    why="A score of 0 is a score like any other, and 1 leaves the hidden scores as they are.",
)
"""A mistake for contracts in whose mask 1 means hidden."""


def _padded_values_zeroed(weights: Tensor, value: Tensor, c: Context) -> Tensor:
    keep = c.case.keep
    return weights @ (value if keep is None else value.masked_fill(~keep[:, None, :, None], 0.0))


ATTENTION_MASK_AS_CAUSAL = masked_as(
    "causal_for_the_attention_mask",
    "where an attention mask was given, a causal mask was applied in its place",
    lambda case, scores: (
        case
        if case.allow is None and case.bias is None
        else case.but(allow=causal(*scores.shape[-2:]), bias=None, mask_format=None)
    ),
    "Which keys a query may see is the caller's to say; a causal mask is one of many.",
)

TWO_MASKS_TOGETHER = (
    masked_as(
        "padding_ignored_beside_attention_mask",
        "with both masks given, the padding mask was ignored",
        lambda case, scores: case if case.allow is None and case.bias is None else case.but(keep=None),
        "Each mask hides what the other may not: a key is seen only where both let it be seen.",
    ),
    masked_as(
        "attention_mask_ignored_beside_padding",
        "with both masks given, the attention mask was ignored",
        lambda case, scores: case if case.keep is None else case.but(allow=None, bias=None),
        "Each mask hides what the other may not: a key is seen only where both let it be seen.",
    ),
    Mistake(
        "padded_values_zeroed",
        "the padded values were set to 0, and the padded keys kept their weight",
        {
            "mask": lambda scores, c: pipeline.mask(scores, replace(c, case=c.case.but(keep=None))),
            "weighted_sum": _padded_values_zeroed,
        },
        why="The weight that padding takes is missing from the real keys: their weights no longer sum to 1.",
    ),
)
"""Mistakes for contracts with a separate padding mask."""


def _has_one_row(case: Case, padding_has: bool) -> bool:
    """Whether the mask has one row for all queries.

    Where the case names no format, only padding can have one: `padding_has` says whether it has in this kata.
    """
    if case.mask_format is None:
        return padding_has and case.allow is None and case.keep is not None
    return case.mask_format.axes[-2:] == "1S"


def _hidden_values_zeroed(padding_has: bool) -> Mistake:
    def mask(scores: Tensor, c: Context) -> Tensor:
        return scores if _has_one_row(c.case, padding_has) else pipeline.mask(scores, c)

    def weighted_sum(weights: Tensor, value: Tensor, c: Context) -> Tensor:
        zeroed = value.masked_fill(hidden(weights, c).mT, 0.0) if _has_one_row(c.case, padding_has) else value
        return weights @ zeroed

    return Mistake(
        "hidden_values_zeroed",
        "under a mask with one row for all queries the hidden values were set to 0, and their keys kept their weight",
        {"mask": mask, "weighted_sum": weighted_sum},
        why="The weight that hidden keys take is missing from the keys that are seen: theirs no longer sum to 1.",
    )


HIDDEN_VALUES_ZEROED = _hidden_values_zeroed(padding_has=True)
HIDDEN_VALUES_ZEROED_IN_FORMAT = _hidden_values_zeroed(padding_has=False)
"""A mistake for katas whose padding mask has a row for every query unless its format says otherwise."""
