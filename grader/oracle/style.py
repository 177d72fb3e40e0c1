"""The styles in which right programs differ, and mistakes are replayed: hidden scores, and fully masked rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import torch
from torch import Tensor

FINITE = -1e9
"""The commonest number that hidden scores are filled with; others that no score comes near give the same weights."""


@dataclass(frozen=True, slots=True)
class Style:
    """One of the ways in which right programs differ.

    Attributes:
        hide: scores, and for each mask a bool tensor, True = hidden, become masked scores.
        softmax: masked scores become weights along an axis; it decides what a fully masked row gets.
        gives_dropped: whether the weights returned are those after dropout.
        of_weights: the style of the weights returned, where they are computed apart from those in use; None: they are
            the same.
    """

    hide: Callable[[Tensor, Sequence[Tensor]], Tensor]
    softmax: Callable[[Tensor, int], Tensor]
    gives_dropped: bool = False
    of_weights: Style | None = None


def _filled_with(number: float) -> Callable[[Tensor, Sequence[Tensor]], Tensor]:
    def hide(scores: Tensor, parts: Sequence[Tensor]) -> Tensor:
        for part in parts:
            scores = scores.masked_fill(part, number)
        return scores

    return hide


def _added(scores: Tensor, parts: Sequence[Tensor]) -> Tensor:
    for part in parts:
        scores = scores + FINITE * part
    return scores


def _added_infinity(scores: Tensor, parts: Sequence[Tensor]) -> Tensor:
    """Adds -inf: in a fully masked row, the NaN of the gradients then reaches what the scores are made of."""
    for part in parts:
        scores = scores + torch.zeros_like(scores).masked_fill(part, -torch.inf)
    return scores


def _added_once(scores: Tensor, parts: Sequence[Tensor]) -> Tensor:
    """Adds `FINITE` once where any mask hides: a fully masked row keeps its scores' differences, and sees all keys."""
    for part in parts:
        scores = torch.where(part & (scores > FINITE / 2), scores + FINITE, scores)
    return scores


def _added_then_filled(scores: Tensor, parts: Sequence[Tensor]) -> Tensor:
    """Adds `FINITE` for the first mask, which may be a float mask, and fills with it where another one hides."""
    return _filled_with(FINITE)(_added(scores, parts[:1]), parts[1:])


def _rows_of_zeros(scores: Tensor, dim: int) -> Tensor:
    weights = torch.softmax(scores, dim=dim)
    if not weights.isnan().any():  # no row is fully masked; three operators in place of six
        return weights
    fully_masked = (scores == -torch.inf).all(dim=dim, keepdim=True)
    return torch.softmax(scores.masked_fill(fully_masked, 0.0), dim=dim).masked_fill(fully_masked, 0.0)


def _hidden_of_zeros(scores: Tensor, dim: int) -> Tensor:
    """Hidden keys get 0, even in a row with a NaN score, which makes the row's other weights NaN."""
    return torch.softmax(scores, dim=dim).masked_fill(scores == -torch.inf, 0.0)


def _queries_of_zeros(scores: Tensor, dim: int) -> Tensor:
    """Fully masked rows get 0; they are those with all keys hidden, whatever axis the softmax is taken over."""
    fully_masked = (scores == -torch.inf).all(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(fully_masked, 0.0), dim=dim).masked_fill(fully_masked, 0.0)


def _queries_of_means(scores: Tensor, dim: int) -> Tensor:
    fully_masked = (scores == -torch.inf).all(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(fully_masked, 0.0), dim=dim)


ZEROS = Style(_filled_with(-torch.inf), _rows_of_zeros)
"""The oracle's own style."""
_MEANS = Style(_filled_with(FINITE), torch.softmax)
ADDED = Style(_added, _hidden_of_zeros)
"""Its fully masked rows differ from those of each other style."""
_OPEN = Style(_added_once, torch.softmax)
ADDED_INFINITY = replace(ZEROS, hide=_added_infinity)
"""The values are the oracle's; the gradients are not."""

STYLES = (
    ZEROS,
    _MEANS,
    ADDED,
    _OPEN,
    Style(_added_then_filled, torch.softmax),
    replace(ZEROS, softmax=_queries_of_zeros),
    replace(ZEROS, softmax=_queries_of_means),
    ADDED_INFINITY,
)
"""The styles, the commoner first."""

CANCEL = (_added, _added_once, _added_then_filled)
"""What hides in these ways changes nothing in a row in which it hides all: a mask was as well ignored there."""

TWO_WAYS = tuple(replace(one, of_weights=other) for one, other in permutations((ZEROS, _MEANS, _OPEN), 2))
"""Styles with the output by one way and the weights by another, as beside a fused operator that returns no weights."""
