"""Mistakes in how a mask is read: its axes, places, numbers and kind; and masks that nobody asked for."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from grader.checks.case import Case
from grader.oracle import pipeline
from grader.oracle.catalogue.causal_masks import is_masked, shift, triangle
from grader.oracle.catalogue.masks import masked_as
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context, hidden


def causal_masks(diagonal: int = 0) -> tuple[Mistake, ...]:
    """The mistakes of a causal mask that nobody asked for: in every call, in some, or in place of the given mask.

    Args:
        diagonal: query t sees the keys 0 to t + diagonal.
    """
    made = (
        f"a causal mask{f' by which query t sees the keys up to t {shift(diagonal)}' if diagonal else ''} was applied"
    )

    def hides(scores: Tensor, c: Context) -> Tensor:
        return pipeline.hide(scores, ~triangle(scores.shape[-2], scores.shape[-1], diagonal), c)

    def hides_too(scores: Tensor, c: Context) -> Tensor:
        return hides(pipeline.mask(scores, c), c)

    return (
        Mistake(
            "always_causal",
            f"{made} though none was given",
            {"mask": hides_too},
            why="Attention looks both ways unless a mask says otherwise; an encoder needs the later keys.",
        ),
        Mistake(
            "causal_in_place_of_the_mask",
            f"{made} in every call, and no mask that was given was read",
            {"mask": hides},
            why="What may be seen is the caller's to say: padding gets weight, and keys that may be seen get none.",
        ),
        Mistake(
            "causal_for_each_mask",
            f"where a mask was given, {made} in its place",
            {"mask": lambda scores, c: hides(scores, c) if is_masked(c.case) else scores},
            why="What may be seen is the caller's to say: padding gets weight, and keys that may be seen get none.",
        ),
        Mistake(
            "causal_beside_a_mask",
            f"where a mask was given, {made} too",
            {"mask": lambda scores, c: hides_too(scores, c) if is_masked(c.case) else scores},
            why="The caller's mask says all that is to be hidden: what it lets a query see stays seen.",
        ),
        Mistake(
            "causal_without_a_mask",
            f"where no mask was given, {made}",
            {"mask": lambda scores, c: pipeline.mask(scores, c) if is_masked(c.case) else hides_too(scores, c)},
            why="No mask means that every query may see every key: an encoder needs the later ones.",
        ),
        Mistake(
            "causal_in_cross_attention",
            f"{made} where queries and keys differ in number, though none was given",
            {
                "mask": lambda scores, c: (
                    pipeline.mask(scores, c) if scores.shape[-1] == scores.shape[-2] else hides_too(scores, c)
                )
            },
            why="Queries and keys of two sequences have no common order: a decoder's query may see all that was "
            "encoded.",
        ),
    )


(
    ALWAYS_CAUSAL,
    CAUSAL_IN_PLACE_OF_THE_MASK,
    CAUSAL_FOR_EACH_MASK,
    CAUSAL_BESIDE_A_MASK,
    CAUSAL_WITHOUT_A_MASK,
    CAUSAL_IN_CROSS_ATTENTION,
) = causal_masks()
"""The second to fifth are for contracts with masks, the last for those in which L and S may differ."""


def _last_key(scores: Tensor) -> Tensor:
    """bool (S,), True = the last key."""
    return torch.arange(scores.shape[-1]) == scores.shape[-1] - 1


LAST_KEY_HIDDEN = Mistake(
    "last_key_hidden",
    "where a mask was given, the last key was hidden too",
    {
        "mask": lambda scores, c: (
            scores
            if c.case.allow is None and c.case.keep is None
            else pipeline.hide(pipeline.mask(scores, c), _last_key(scores), c)
        )
    },
    why="The last key is a key like any other: the queries that the mask lets see it lose what it would bring.",
)


def _folded(mask: Tensor, scores: Tensor) -> Tensor:
    """Repeats a mask (N, L, S) for the heads in the order (H, N), and reads it as (N, H, L, S)."""
    n, heads = scores.shape[:2]
    return mask.repeat(heads, 1, 1).unflatten(0, (n, heads))


def _folded_by_sequences(mask: Tensor, scores: Tensor) -> Tensor:
    """Repeats a mask (N, L, S) for the heads in the order (N, H), and reads it as (H, N, L, S)."""
    n, heads = scores.shape[:2]
    return mask.repeat_interleave(heads, dim=0).unflatten(0, (heads, n)).transpose(0, 1)


def _hidden_by_fold(fold: Callable[[Tensor, Tensor], Tensor]) -> Step:
    return lambda scores, c: pipeline.hide(scores, fold(hidden(scores, c).expand_as(scores)[:, 0], scores), c)


_FOLD_WHY = "Rows n H to n H + H - 1 of the fold are sequence n's heads: each must get sequence n's mask."
MASK_FOLDED = Mistake(
    "mask_folded_in_another_order",
    "the mask was repeated for the heads in the order (H, N), not (N, H): heads got another sequence's mask",
    {"mask": _hidden_by_fold(_folded)},
    why=_FOLD_WHY,
)
MASK_FOLDED_BY_SEQUENCES = Mistake(
    "mask_unfolded_in_another_order",
    "the mask was repeated for the heads in the order (N, H) and read as (H, N): heads got another sequence's mask",
    {"mask": _hidden_by_fold(_folded_by_sequences)},
    why=_FOLD_WHY,
)


def _has_three_axes(case: Case) -> bool:
    """Whether the mask is passed as (N, L, S), in contracts that take such masks."""
    shown = case.shown
    if shown is None:
        return False
    if case.mask_dtype is not None and case.allow is not None:
        return case.allow.dim() == 3
    if case.mask_format is not None:
        return case.mask_format.axes == "NLS"
    return shown.dim() == 4 and shown.shape[1] == 1


def _without_heads_axis(scores: Tensor, c: Context) -> Tensor:
    """The mask step that takes a mask (N, L, S) for (H, L, S); NaN where N is neither 1 nor H.

    There such code raises: an output that was returned contradicts the mistake.
    """
    if not _has_three_axes(c.case):
        return pipeline.mask(scores, c)
    n, heads = scores.shape[:2]
    if n not in (1, heads):
        return torch.full_like(scores, torch.nan)
    return pipeline.hide(scores, hidden(scores, c).expand_as(scores)[:, 0], c)


WITHOUT_HEADS_AXIS = Mistake(
    "mask_without_heads_axis",
    "a mask (N, L, S) was left without an axis for the heads: its sequences were taken for heads",
    {"mask": _without_heads_axis},
    why="Axes line up from the right: without an axis of 1 for the heads, N stands where H is wanted.",
)


def _of_three_axes(name: str, mistake: Mistake) -> Mistake:
    """The given mistake, which concerns every mask, limited to masks (N, L, S)."""
    wrong = mistake.steps["mask"]
    return replace(
        mistake,
        name=name,
        sentence=mistake.sentence.replace("the mask", "a mask (N, L, S)", 1),
        steps={"mask": lambda scores, c: (wrong if _has_three_axes(c.case) else pipeline.mask)(scores, c)},
    )


MASKS_OF_THREE_AXES = (
    WITHOUT_HEADS_AXIS,
    _of_three_axes("mask_of_three_axes_folded", MASK_FOLDED),
    _of_three_axes("mask_of_three_axes_unfolded", MASK_FOLDED_BY_SEQUENCES),
)
"""Mistakes for contracts that take masks (N, L, S) beside others, made by code that treats each shape separately."""


def _axes(case: Case, heads: int) -> str:
    """The axes with which the mask is passed, such as `N1LS`, in a contract that takes any; empty: unknown."""
    if case.allow is None or case.mask_format is not None:
        return "" if case.mask_format is None or case.shown is None else case.mask_format.axes
    axes = "N1LS"[-case.allow.dim() :] if case.allow.dim() != 3 else "NLS"
    return "HLS" if case.allow.dim() == 4 and case.allow.shape[:2] == (1, heads) else axes


def _read_by_size(axes: str, other: int, read: Callable[[Tensor], Tensor]) -> dict[str, Step]:
    """The mask step of code that guesses from a mask's sizes which axes it has.

    Args:
        axes: the axes of the masks that are misread, where N equals the length of an axis of the scores.
        other: which axis of the scores (N, H, L, S) that is.
        read: makes the misread mask from the right one; both are bool, True = hidden.
    """

    def mask(scores: Tensor, c: Context) -> Tensor:
        if _axes(c.case, scores.shape[1]) != axes or scores.shape[0] != scores.shape[other]:
            return pipeline.mask(scores, c)
        return pipeline.hide(scores, read(hidden(scores, c)), c)

    return {"mask": mask}


_BY_SIZE = "Two axes may have one size by chance: broadcasting goes by their places, counted from the right."
MASK_OF_SEQUENCES_BY_SIZE = Mistake(
    "mask_of_sequences_for_heads_by_size",
    "a mask (N, L, S) was taken for one of each head, (H, L, S), where N equals H",
    _read_by_size("NLS", 1, lambda hidden: hidden.transpose(0, 1)),
    why=_BY_SIZE,
)
MASK_OF_HEADS_BY_SIZE = Mistake(
    "mask_of_heads_for_sequences_by_size",
    "a mask (H, L, S) was taken for one of each sequence, (N, L, S), where N equals H",
    _read_by_size("HLS", 1, lambda hidden: hidden.transpose(0, 1)),
    why=_BY_SIZE,
)
MASK_AS_PADDING_BY_SIZE = Mistake(
    "mask_for_padding_by_size",
    "a mask (L, S) was taken for padding, (N, S), where N equals L",
    _read_by_size("LS", 2, lambda hidden: hidden[:, None, None]),
    why=_BY_SIZE,
)
"""The three mistakes by size are for contracts in which masks may have any number of axes."""

MASK_OF_FIRST_HEAD_FOR_ALL = masked_as(
    "mask_of_first_head_for_all",
    "of a mask (N, H, L, S) the first head's was used by every head",
    lambda case, scores: (
        case if case.allow is None or case.allow.dim() < 4 else case.but(allow=case.allow[:, :1].expand_as(case.allow))
    ),
    "A mask with an axis for the heads hides other keys in each: that axis is one of the scores' own.",
)
"""A mistake for contracts in which masks may have an axis for the heads."""

PADDING_FOLDED = masked_as(
    "padding_folded_in_another_order",
    "the padding mask was repeated for the heads in the order (H, N), not (N, H): heads got another sequence's padding",
    lambda case, scores: (
        case
        if case.keep is None
        else case.but(keep=None, allow=_joined(case.allow, _folded(case.keep[:, None], scores)))
    ),
    _FOLD_WHY,
)
"""A mistake for contracts with a separate padding mask."""


def _joined(allow: Tensor | None, keep: Tensor) -> Tensor:
    return keep if allow is None else allow & keep


def _counted(seen: Tensor) -> Tensor:
    """True for as many keys from the left as are seen, False for the others; the last axis is that of the keys."""
    return torch.arange(seen.shape[-1]) < seen.sum(-1, keepdim=True)


_COUNT_WHY = "Only padding on the right leaves the real keys at the left; a mask says which keys, not how many."
MASK_COUNTED = Mistake(
    "mask_counted_from_the_left",
    "the mask was read as a number of keys from the left: padding on the left was seen, real keys were not",
    {"mask": lambda scores, c: pipeline.hide(scores, ~_counted(~hidden(scores, c).expand_as(scores)), c)},
    why=_COUNT_WHY,
)
PADDING_COUNTED = masked_as(
    "padding_counted_from_the_left",
    "the padding mask was read as a number of keys from the left: padding on the left was seen, real keys were not",
    lambda case, scores: case.but(keep=None if case.keep is None else _counted(case.keep)),
    _COUNT_WHY,
)
"""A mistake for contracts with a separate padding mask."""


def _given_heads(scores: Tensor, c: Context) -> Tensor:
    case = c.case
    if case.keep is None and (case.allow is None or case.allow.dim() != 3):
        return pipeline.mask(scores, c)
    shown = torch.ones((), dtype=torch.bool) if case.allow is None else case.allow
    shown = shown if case.keep is None else shown & case.keep[:, None]  # padding comes as (N, 1, S)
    return pipeline.hide(scores, ~shown[:, None], c)


MASK_GIVEN_HEADS = Mistake(
    "mask_given_heads",
    "a mask of three axes was given one more for the heads, also where the inputs have none: all sequences were paired",
    {"mask": _given_heads},
    why="Axes broadcast from the last one on: the mask's sequences stand beside those of the inputs then.",
)
"""A mistake for contracts whose inputs may have no axis for the heads."""
