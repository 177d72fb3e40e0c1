"""Where the weights of an attention come from: the judge sets them, or a call draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from grader.checks.case import Projections, Size
from grader.checks.draw import Draw
from grader.checks.subject import Manner

if TYPE_CHECKING:
    from grader.checks.submitted import SubmittedAttention


class SetWeights:
    """Weights that the judge draws and sets by their paths."""

    are_set = True
    """Whether the judge may replace the weights."""
    draws_in_calls = False
    """Whether a call in eval mode may move the global generator."""

    def new(self, draw: Draw, size: Size) -> tuple[Projections, int]:
        """The weights of a new attention, and the seed to set before its calls."""
        return draw.projections(size), draw.integer()

    def stretch(self, size: Size, weights: Projections) -> float:
        """The factor on fresh inputs, so that weights that are a submission's own do not make the scores tiny."""
        return 1.0

    def are_known(self, manner: Manner, seed: int) -> bool:
        """Whether a call made in this manner uses the weights that the attention is known by."""
        return True

    def default_dtype(self, size: Size) -> torch.dtype:
        """Torch's default dtype in calls that name none."""
        return torch.float32

    def observed(self, attention: SubmittedAttention) -> Projections:
        """The weights in use."""
        return attention.weights


class WeightsDrawnInCalls(SetWeights):
    """Weights that a function draws anew in each call, from the global generator and in the default dtype."""

    are_set = False
    draws_in_calls = True

    def are_known(self, manner: Manner, seed: int) -> bool:
        return (manner.seed, manner.drawn, manner.default_dtype) == (seed, 0, None)

    def default_dtype(self, size: Size) -> torch.dtype:
        return size.dtype
