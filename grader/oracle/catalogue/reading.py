"""Mistakes in how a mask is read: its axes and places, its numbers, which of two, and masks that nobody asked for."""

from collections.abc import Callable

import torch
from torch import Tensor

from grader.checks.case import Case
from grader.oracle import pipeline
from grader.oracle.catalogue.masks import masked_as
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context, hidden


def _shifted(mask: Tensor | None, right: bool) -> Tensor | None:
    """Each column moves by one key; the one that is left over is the edge's again."""
    if mask is None:
        return None
    parts = (mask[..., :1], mask[..., :-1]) if right else (mask[..., 1:], mask[..., -1:])
    return torch.cat(parts, dim=-1)


def _all_shifted(case: Case, right: bool) -> Case:
    return case.but(allow=_shifted(case.allow, right), keep=_shifted(case.keep, right))


def _attention_shifted(case: Case, right: bool) -> Case:
    return case.but(allow=_shifted(case.allow, right), bias=_shifted(case.bias, right))


_MOVED_WHY = "Column s of a mask speaks of key s; moved by one, what was to be hidden is seen or a real key is lost."


def _moved(whose: str, shift: Callable[[Case, bool], Case]) -> tuple[Mistake, Mistake]:
    return (
        masked_as(
            "mask_one_key_late",
            f"{whose} was laid one key too far to the right: under a causal mask a query saw the key after it",
            lambda case, scores: shift(case, True),
            _MOVED_WHY,
        ),
        masked_as(
            "mask_one_key_early",
            f"{whose} was laid one key too far to the left: under a causal mask a query did not see itself",
            lambda case, scores: shift(case, False),
            _MOVED_WHY,
        ),
    )


MASK_MOVED = _moved("the mask", _all_shifted)
ATTENTION_MASK_MOVED = _moved("the attention mask", _attention_shifted)
PADDING_MOVED = (
    masked_as(
        "padding_mask_one_key_late",
        "the padding mask was laid one key too far to the right: with padding at the end its first key was seen",
        lambda case, scores: case.but(keep=_shifted(case.keep, right=True)),
        _MOVED_WHY,
    ),
    masked_as(
        "padding_mask_one_key_early",
        "the padding mask was laid one key too far to the left: with padding at the end the last real key was hidden",
        lambda case, scores: case.but(keep=_shifted(case.keep, right=False)),
        _MOVED_WHY,
    ),
)
"""Where padding has a mask of its own."""


def _later(scores: Tensor) -> Tensor:
    """bool (L, S), True = a later key."""
    return torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)


def _causal_too(scores: Tensor, c: Context) -> Tensor:
    return pipeline.mask(scores, c).masked_fill(_later(scores), -torch.inf)


ALWAYS_CAUSAL = Mistake(
    "always_causal",
    "a causal mask was applied though none was given",
    {"mask": _causal_too},
    why="Attention looks both ways unless a mask says otherwise; an encoder needs the later keys.",
)
CAUSAL_IN_PLACE_OF_THE_MASK = Mistake(
    "causal_in_place_of_the_mask",
    "a causal mask was applied in every call, and no mask that was given was read",
    {"mask": lambda scores, c: scores.masked_fill(_later(scores), -torch.inf)},
    why="What may be seen is the caller's to say: padding gets weight, and keys that may be seen get none.",
)
"""Where masks are given."""

CAUSAL_IN_CROSS_ATTENTION = Mistake(
    "causal_in_cross_attention",
    "a causal mask was applied wherever queries and keys differ in number, though none was given",
    {
        "mask": lambda scores, c: (
            pipeline.mask(scores, c) if scores.shape[-1] == scores.shape[-2] else _causal_too(scores, c)
        )
    },
    why="Queries and keys of two sequences have no common order: a decoder's query may see all that was encoded.",
)
"""Where keys may be of another number than queries."""


def _last_key(scores: Tensor) -> Tensor:
    """bool (S,), True = the last key."""
    return torch.arange(scores.shape[-1]) == scores.shape[-1] - 1


LAST_KEY_HIDDEN = Mistake(
    "last_key_hidden",
    "wherever a mask was given, the last key was hidden too",
    {
        "mask": lambda scores, c: (
            scores
            if c.case.allow is None and c.case.keep is None
            else pipeline.mask(scores, c).masked_fill(_last_key(scores), -torch.inf)
        )
    },
    why="The last key is a key like any other: the queries that the mask lets see it lose what it would bring.",
)

MASK_OF_FIRST_HEAD = Mistake(
    "mask_of_first_head_alone",
    "the mask was applied to the first head alone",
    {"mask": lambda scores, c: torch.cat([pipeline.mask(scores, c)[:, :1], scores[:, 1:]], dim=1)},
    why="A mask without an axis for the heads holds for all of them: through the others hidden keys are seen.",
)
"""Where there is more than one head."""


def _folded(mask: Tensor, scores: Tensor) -> Tensor:
    """A mask (N, L, S) repeated for heads that were folded into the batch as (N, H), in the order (H, N)."""
    n, heads = scores.shape[:2]
    return mask.repeat(heads, 1, 1).unflatten(0, (n, heads))


_FOLD_WHY = "Rows n H to n H + H - 1 of the fold are sequence n's heads: each must get sequence n's mask."
MASK_FOLDED = Mistake(
    "mask_folded_in_another_order",
    "the mask was repeated for the heads sequence after sequence: heads got another sequence's mask",
    {
        "mask": lambda scores, c: scores.masked_fill(
            _folded(hidden(scores, c).expand_as(scores)[:, 0], scores), -torch.inf
        )
    },
    why=_FOLD_WHY,
)
PADDING_FOLDED = masked_as(
    "padding_folded_in_another_order",
    "the padding mask was repeated for the heads sequence after sequence: heads got another sequence's padding",
    lambda case, scores: (
        case
        if case.keep is None
        else case.but(keep=None, allow=_joined(case.allow, _folded(case.keep[:, None], scores)))
    ),
    _FOLD_WHY,
)
"""Where padding has a mask of its own."""


def _joined(allow: Tensor | None, keep: Tensor) -> Tensor:
    return keep if allow is None else allow & keep


def _counted(seen: Tensor) -> Tensor:
    """As many places from the left as are seen; the last axis is the keys'."""
    return torch.arange(seen.shape[-1]) < seen.sum(-1, keepdim=True)


_COUNT_WHY = "Only padding on the right leaves the real keys at the left; a mask says which keys, not how many."
MASK_COUNTED = Mistake(
    "mask_counted_from_the_left",
    "the mask was read as a number of keys from the left: padding on the left was seen, real keys were not",
    {"mask": lambda scores, c: scores.masked_fill(~_counted(~hidden(scores, c).expand_as(scores)), -torch.inf)},
    why=_COUNT_WHY,
)
PADDING_COUNTED = masked_as(
    "padding_counted_from_the_left",
    "the padding mask was read as a number of keys from the left: padding on the left was seen, real keys were not",
    lambda case, scores: case.but(keep=None if case.keep is None else _counted(case.keep)),
    _COUNT_WHY,
)
"""Where padding has a mask of its own."""
