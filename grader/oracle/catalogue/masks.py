"""Mistakes with masks, and with queries that may see nothing."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from grader.checks.case import Case
from grader.oracle import pipeline
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context, hidden

_INVERTED = "Each query then sees just what it must not see, and nothing of what it may."
_TRANSPOSED = "A row of the mask belongs to a query, a column to a key: exchanged, a token sees only those after it."
_ADDED = "A difference of 1 in a score is a factor of e in the weight: it bends the weights and hides nothing."


def _fill(name: str, sentence: str, value: float, why: str) -> Mistake:
    return Mistake(name, sentence, {"mask": lambda scores, c: scores.masked_fill(hidden(scores, c), value)}, why=why)


def masked_as(name: str, sentence: str, other: Callable[[Case, Tensor], Case], why: str) -> Mistake:
    """A mistake that runs the mask step on a case with other masks.

    Args:
        name: of the mistake.
        sentence: what was computed.
        other: from a case and its scores, (N, H, L, S), to the case with the masks that the mistake takes.
        why: it is wrong.
    """
    return Mistake(
        name,
        sentence,
        {"mask": lambda scores, c: pipeline.mask(scores, replace(c, case=other(c.case, scores)))},
        why=why,
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
    masked_as(
        "mask_ignored",
        "the mask was ignored",
        lambda case, scores: case.but(allow=None, keep=None, bias=None),
        why="What may not be seen gets weight: padding gets into the answer, and a token sees those after it.",
    ),
    _fill(
        "hidden_scores_zero",
        "hidden scores became 0, which is a score like any other: they still got weight",
        0.0,
        why="exp(0) is 1, not 0: only a score of -inf, or one far below all others, leaves no weight.",
    ),
    _fill(
        "hidden_scores_small",
        "hidden scores were set to -1, which still gets a share of the weight",
        -1.0,
        why="exp(-1) is 0.37, not 0: only a score of -inf, or one far below all others, leaves no weight.",
    ),
    Mistake(
        "masked_after_softmax",
        "the mask was applied after the softmax: the remaining weights do not sum to 1",
        {"mask": lambda scores, c: scores, "softmax": _after_softmax},
        why="The softmax has given hidden keys their share already: set to 0, it is missing from the sum.",
    ),
    masked_as(
        "mask_of_first_sequence",
        "the mask of the first sequence was used for the whole batch",
        _of_first_sequence,
        why="Sequences differ in length: with the first one's mask, others lose real keys or see padding.",
    ),
)


def _inverted(scores: Tensor, c: Context) -> Tensor:
    if c.case.allow is None and c.case.keep is None:
        return scores
    return scores.masked_fill(~hidden(scores, c), -torch.inf)


ONE_MASK = (
    Mistake(
        "mask_inverted",
        "the mask was inverted: what may be seen was hidden",
        {"mask": _inverted},
        why=_INVERTED,
    ),
    Mistake(
        "mask_transposed",
        "the mask was transposed: it hid queries, not keys",
        {"mask": lambda scores, c: scores.masked_fill(hidden(scores, c).expand_as(scores).mT, -torch.inf)},
        why=_TRANSPOSED,
    ),
)
"""Where one argument carries all masks."""

ONES_ADDED_TO_HIDDEN = Mistake(
    "mask_added",
    "the mask was added to the scores as 0 and 1: hidden ones got more weight, not none",
    {"mask": lambda scores, c: scores + hidden(scores, c)},
    why=_ADDED,
)
ONES_ADDED_TO_SEEN = Mistake(
    "mask_added",
    "the mask was added to the scores as 0 and 1: hidden ones got less weight, not none",
    {"mask": lambda scores, c: scores + ~hidden(scores, c)},
    why=_ADDED,
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
    masked_as(
        "attention_mask_inverted",
        "the attention mask was inverted: what may be seen was hidden",
        lambda case, scores: case.but(allow=_inverse(case.allow)),
        why=_INVERTED,
    ),
    masked_as(
        "padding_mask_inverted",
        "the padding mask was inverted: the real keys were hidden",
        lambda case, scores: case.but(keep=_inverse(case.keep)),
        why="The answer is then made of padding, and the real tokens have no part in it.",
    ),
    masked_as(
        "masks_inverted",
        "both masks were inverted: what may be seen was hidden",
        lambda case, scores: case.but(allow=_inverse(case.allow), keep=_inverse(case.keep)),
        why=_INVERTED,
    ),
    masked_as(
        "padding_ignored",
        "the padding mask was ignored",
        lambda case, scores: case.but(keep=None),
        why="Padding is filler: where it gets weight, an answer depends on how long the neighbours are.",
    ),
    masked_as(
        "attention_mask_ignored",
        "the attention mask was ignored",
        lambda case, scores: case.but(allow=None, bias=None),
        why="A token then sees those that come after it, and in training reads off what it should predict.",
    ),
    masked_as(
        "attention_mask_transposed",
        "the attention mask was transposed: it hid queries, not keys",
        lambda case, scores: case.but(allow=None if case.allow is None else case.allow.mT),
        why=_TRANSPOSED,
    ),
    Mistake(
        "padding_on_queries",
        "the padding mask was laid over the queries, not over the keys",
        {"mask": _padding_on_queries},
        why="What a padded query answers is thrown away; it is the padded key that must stay out of other answers.",
    ),
    masked_as(
        "masks_joined_with_or",
        'the two masks were joined with "or": a key was seen where either of them let it',
        _joined_with_or,
        why="Each mask hides for a reason of its own: a later token stays hidden although it is real.",
    ),
    Mistake(
        "masks_added",
        "the masks were added to the scores as 0 and 1: hidden ones got less weight, not none",
        {"mask": _both_added},
        why=_ADDED,
    ),
)


def _plain_softmax(scores: Tensor, c: Context) -> Tensor:
    return torch.softmax(scores, dim=-1)


def _additive_mask(scores: Tensor, c: Context) -> Tensor:
    return scores + torch.zeros_like(scores).masked_fill(hidden(scores, c), -torch.inf)


NAN_ROWS = (
    Mistake(
        "nan_rows",
        "the weights of a query that may see nothing are NaN, as a softmax of -inf alone is, and were left so",
        {"softmax": _plain_softmax},
        why="Such a row is 0 / 0, and a NaN spreads: through the next layer and the loss it reaches every weight.",
    ),
    Mistake(
        "nan_gradients",
        "the NaN of a row that is all -inf was replaced after the softmax: its gradient is NaN still",
        {"mask": _additive_mask, "softmax": lambda scores, c: torch.softmax(scores, dim=-1).nan_to_num(0.0)},
        why="The backward pass multiplies the replaced NaN by 0, which is NaN: one such row spoils all gradients.",
    ),
)

NAN_WEIGHTS = Mistake(
    "nan_weights",
    "the NaN of a row that is all -inf was replaced in the output, and not in the weights",
    {"softmax": _plain_softmax},
    after={"drop_output": lambda output: output.nan_to_num(0.0)},
    why="Whoever uses or averages the returned weights gets the NaN that the output no longer shows.",
)
"""Where the weights are returned."""
