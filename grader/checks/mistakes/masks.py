"""Mistakes with masks, and with queries that may see nothing."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from grader.checks import pipeline
from grader.checks.case import Case
from grader.checks.mistake import Mistake
from grader.checks.pipeline import Context, hidden


def _fill(name: str, sentence: str, value: float) -> Mistake:
    return Mistake(name, sentence, {"mask": lambda scores, c: scores.masked_fill(hidden(scores, c), value)})


def _masked_as(name: str, sentence: str, other: Callable[[Case, Tensor], Case]) -> Mistake:
    """The mask step on a case with other masks."""
    return Mistake(
        name,
        sentence,
        {"mask": lambda scores, c: pipeline.mask(scores, replace(c, case=other(c.case, scores)))},
    )


def _after_softmax(scores: Tensor, c: Context) -> Tensor:
    return torch.softmax(scores, dim=-1).masked_fill(hidden(scores, c), 0.0)


def _of_first_sequence(case: Case, scores: Tensor) -> Case:
    """(L, S) has no sequences to choose from."""
    keep, allow = case.keep, case.allow
    return case.but(
        keep=keep if keep is None else keep[:1].expand_as(keep),
        allow=allow if allow is None or allow.dim() == 2 else allow[:1].expand_as(allow),
    )


MASKS = (
    _masked_as("mask_ignored", "the mask was ignored", lambda case, scores: case.but(allow=None, keep=None, bias=None)),
    _fill(
        "hidden_scores_zero",
        "hidden scores became 0, which is a score like any other: they still got weight",
        0.0,
    ),
    _fill("hidden_scores_small", "hidden scores were set to -1, which still gets a share of the weight", -1.0),
    Mistake(
        "masked_after_softmax",
        "the mask was applied after the softmax: the remaining weights do not sum to 1",
        {"mask": lambda scores, c: scores, "softmax": _after_softmax},
    ),
    _masked_as(
        "mask_of_first_sequence",
        "the mask of the first sequence was used for the whole batch",
        _of_first_sequence,
    ),
)


def _inverted(scores: Tensor, c: Context) -> Tensor:
    if c.case.allow is None and c.case.keep is None:
        return scores
    return scores.masked_fill(~hidden(scores, c), -torch.inf)


ONE_MASK = (
    Mistake("mask_inverted", "the mask was inverted: what may be seen was hidden", {"mask": _inverted}),
    Mistake(
        "mask_transposed",
        "the mask was transposed: it hid queries, not keys",
        {"mask": lambda scores, c: scores.masked_fill(hidden(scores, c).expand_as(scores).mT, -torch.inf)},
    ),
)
"""Where one argument carries all masks."""

ONES_ADDED_TO_HIDDEN = Mistake(
    "mask_added",
    "the mask was added to the scores as 0 and 1: hidden ones got more weight, not none",
    {"mask": lambda scores, c: scores + hidden(scores, c)},
)
ONES_ADDED_TO_SEEN = Mistake(
    "mask_added",
    "the mask was added to the scores as 0 and 1: hidden ones got less weight, not none",
    {"mask": lambda scores, c: scores + ~hidden(scores, c)},
)


def _padding_on_queries(scores: Tensor, c: Context) -> Tensor:
    if c.case.keep is None:
        return pipeline.mask(scores, c)
    over_queries = ~pipeline.over_queries(c.case.keep, scores).mT
    return pipeline.mask(scores, replace(c, case=c.case.but(keep=None))).masked_fill(over_queries, -torch.inf)


def _joined_with_or(case: Case, scores: Tensor) -> Case:
    if case.allow is None or case.keep is None:
        return case
    return case.but(allow=pipeline.over_heads(case.allow, scores) | pipeline.over_queries(case.keep, scores), keep=None)


def _both_added(scores: Tensor, c: Context) -> Tensor:
    allow, keep = c.case.allow, c.case.keep
    scores = scores if allow is None else scores + pipeline.over_heads(allow, scores)
    return scores if keep is None else scores + pipeline.over_queries(keep, scores)


def _inverse(mask: Tensor | None) -> Tensor | None:
    return None if mask is None else ~mask


TWO_MASKS = (
    _masked_as(
        "masks_inverted",
        "both masks were inverted: what may be seen was hidden",
        lambda case, scores: case.but(allow=_inverse(case.allow), keep=_inverse(case.keep)),
    ),
    _masked_as(
        "attention_mask_inverted",
        "the attention mask was inverted: what may be seen was hidden",
        lambda case, scores: case.but(allow=_inverse(case.allow)),
    ),
    _masked_as(
        "padding_mask_inverted",
        "the padding mask was inverted: the real keys were hidden",
        lambda case, scores: case.but(keep=_inverse(case.keep)),
    ),
    _masked_as("padding_ignored", "the padding mask was ignored", lambda case, scores: case.but(keep=None)),
    _masked_as(
        "attention_mask_ignored",
        "the attention mask was ignored",
        lambda case, scores: case.but(allow=None, bias=None),
    ),
    _masked_as(
        "attention_mask_transposed",
        "the attention mask was transposed: it hid queries, not keys",
        lambda case, scores: case.but(allow=None if case.allow is None else case.allow.mT),
    ),
    Mistake(
        "padding_on_queries",
        "the padding mask was laid over the queries, not over the keys",
        {"mask": _padding_on_queries},
    ),
    _masked_as(
        "masks_joined_with_or",
        'the two masks were joined with "or": a key was seen where either of them let it',
        _joined_with_or,
    ),
    Mistake(
        "masks_added",
        "the masks were added to the scores as 0 and 1: hidden ones got less weight, not none",
        {"mask": _both_added},
    ),
)


def _plain_softmax(scores: Tensor, c: Context) -> Tensor:
    return torch.softmax(scores, dim=-1)


def _additive_mask(scores: Tensor, c: Context) -> Tensor:
    return scores + torch.zeros_like(scores).masked_fill(hidden(scores, c), -torch.inf)


NAN_ROWS = (
    Mistake("nan_rows", "the softmax of a row that is all -inf is NaN, and was left so", {"softmax": _plain_softmax}),
    Mistake(
        "nan_gradients",
        "the NaN of a row that is all -inf was replaced after the softmax: its gradient is NaN still",
        {"mask": _additive_mask, "softmax": lambda scores, c: torch.softmax(scores, dim=-1).nan_to_num(0.0)},
    ),
)

NAN_WEIGHTS = Mistake(
    "nan_weights",
    "the NaN of a row that is all -inf was replaced in the output, and not in the weights",
    {"softmax": _plain_softmax, "drop_output": lambda x, c: x.nan_to_num(0.0)},
)
"""Where the weights are returned."""
