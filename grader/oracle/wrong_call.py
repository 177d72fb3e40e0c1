"""What one wrong call of an attention tells: its output traced back as far as it can be, beside what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.checks.attention_kata import AttentionKata
from grader.oracle import pipeline
from grader.oracle.near import is_near
from grader.oracle.pipeline import Context, Steps

SAME = 1e-5
"""A share of the largest value: a smaller difference is rounding, even where a program computes in float32 inside."""
OTHER = 1e-3
"""A share of the largest value: a larger difference is no rounding, however inexactly a projection is undone."""
SHARP = 1e-4
"""A share of the largest singular value: a matrix whose smallest one is above it can be inverted."""
PRECISE = 1e-9
"""The error that a right program in float64 stays below, whatever the order of its operations."""


@dataclass(frozen=True)
class WrongCall:
    """One wrong call, and what the oracle computes in it."""

    kata: AttentionKata
    call: AttentionCall
    right: Mapping[str, Any]
    """What each stage of the oracle gives."""

    @cached_property
    def is_readable(self) -> bool:
        """Whether the call is in float64, and its output is finite and has the contract's shape."""
        output = self.call.answer.output
        fits = output.shape == self.right["output"].shape
        return self.call.size.dtype == output.dtype == torch.float64 and fits and bool(output.isfinite().all())

    @cached_property
    def output_is_right(self) -> bool:
        return self._is_right(self.call.answer.output, self.right["output"])

    @cached_property
    def is_far(self) -> bool:
        """Whether the output is off by more than digits, or has the wrong shape."""
        output, right = self.call.answer.output, self.right["output"]
        if output.shape != right.shape:
            return True
        return not bool((output.double() - right.double()).abs().max() <= OTHER * right.abs().max())  # NaN is far

    @property
    def is_precise(self) -> bool:
        """Whether the output has all its digits."""
        return _is_precise(self.call.answer.output, self.right["output"])

    @property
    def returned_is_precise(self) -> bool | None:
        """Whether the weights returned have all their digits; None: there are none."""
        returned, right = self.call.answer.weights, self.right["give"]
        return None if returned is None or right is None else _is_precise(returned, right)

    @cached_property
    def returned_is_right(self) -> bool | None:
        """Whether the weights returned are right; None: none were, or none are wanted."""
        returned, right = self.call.answer.weights, self.right["give"]
        return None if returned is None or right is None else self._is_right(returned, right)

    def _is_right(self, value: Tensor, right: Tensor) -> bool:
        rtol, atol = self.kata.key.rounding(self.call) or (0.0, 0.0)  # where there is none, the call is not judged
        return value.shape == right.shape and is_near(value, right, rtol, atol)

    @property
    def context(self) -> Context:
        return Context(self.call.case, self.call.size, self.call.weights)

    @cached_property
    def hidden(self) -> Tensor:
        """bool, (N, H, L, S): where a mask hides a key."""
        scores = self.right["scale"]
        return pipeline.hidden(scores, self.context).expand_as(scores)

    @property
    def right_weights(self) -> Tensor:
        return self.right["softmax"]

    @property
    def right_values(self) -> Tensor:
        """(N, H, S, D)."""
        return self.right["split"][2]

    @cached_property
    def merged(self) -> Tensor | None:
        """The merged heads of which the right output projection makes the output; None: it cannot be undone."""
        if not self.is_readable:
            return None
        return undone(self.kata.key.oracle, self.call.answer.output, self.right["merge"].shape[-1], self.context)

    @property
    def is_shifted(self) -> bool:
        """Whether every token's output is off by the same numbers."""
        if not self.is_readable:
            return False
        off = (self.call.answer.output - self.right["output"]).flatten(0, -2)
        return len(off) > 1 and bool((off - off[0]).abs().max() < SAME * off.abs().max())

    @property
    def can_be_mapped(self) -> bool:
        """Whether there are enough tokens to find a linear map of their features: more than it has numbers for each."""
        merged = self.right["merge"].flatten(0, -2)
        return self.is_readable and len(merged) > merged.shape[-1] + 4 and is_sharp(merged)

    @cached_property
    def map(self) -> Tensor | None:
        """The linear map that gives all outputs from what the heads give, up to a bias; None: there is none."""
        merged = self.right["merge"].flatten(0, -2)
        given = torch.cat([merged, torch.ones(len(merged), 1, dtype=merged.dtype)], dim=-1)
        output = self.call.answer.output.flatten(0, -2)
        linear = torch.linalg.lstsq(given, output, driver="gelsd").solution
        return linear[:-1] if bool((given @ linear - output).abs().max() < SAME * output.abs().max()) else None

    @cached_property
    def has_other_values(self) -> bool | None:
        """Whether the output is made of any values by the right weights; None: nobody can tell."""
        weights, output = self.right_weights, self.call.answer.output
        if self.merged is None or weights.shape[-2] <= weights.shape[-1] or not is_sharp(weights):
            return None
        if bool((output - output[..., :1, :]).flatten(1).abs().amax(1).min() < SAME):
            return None  # any weights give an output that is the same for all queries
        answers = self.kata.key.oracle.split(self.merged, self.context)
        off = weights @ torch.linalg.lstsq(weights, answers).solution - answers
        return bool(off.abs().max() < OTHER * answers.abs().max())

    @property
    def weights(self) -> Tensor | None:
        """The weights, (N, H, L, S), by which the output is mixed from the right values; None: that is not proven.

        They are read off the output where a value has more features than there are keys; else they are those returned,
        per head.
        """
        return self._solved if self._is_off is False else None

    @property
    def mixes(self) -> bool | None:
        """Whether the output is made of the right values by any weights; None: nobody can tell."""
        if self._is_off is False:
            return True
        return False if self._is_off and self._can_be_solved else None

    @cached_property
    def _can_be_solved(self) -> bool:
        values = self.right_values
        return self.merged is not None and values.shape[-2] < values.shape[-1] and is_sharp(values)

    @cached_property
    def _solved(self) -> Tensor | None:
        if self._can_be_solved and self.merged is not None:
            answers = self.kata.key.oracle.split(self.merged, self.context)
            return torch.linalg.lstsq(self.right_values.mT, answers.mT).solution.mT
        returned = self.call.answer.weights
        fits = returned is not None and returned.numel() == self.right_weights.numel()
        return returned.double().reshape(self.right_weights.shape) if self.is_readable and fits else None

    @cached_property
    def _is_off(self) -> bool | None:
        """Whether the weights of `_solved` make another output; None: that may be rounding, or there are none."""
        if self._solved is None:
            return None
        oracle, c, output = self.kata.key.oracle, self.context, self.call.answer.output
        mixed = oracle.weighted_sum(self._solved, self.right_values, c)
        made = oracle.project_out(oracle.merge(mixed, c), c)
        off = float((made - output).abs().max() / output.abs().max().clamp(min=1e-12))
        return False if off < SAME else True if off > OTHER else None


def undone(oracle: Steps, output: Tensor, width: int, c: Context) -> Tensor | None:
    """The merged heads of which the right output projection makes an output; None: it cannot be undone.

    Args:
        oracle: the pipeline that is right.
        output: (N, L, E), in float64.
        width: how many features are projected.
        c: of the call.
    """
    nothing = oracle.project_out(torch.zeros(1, 1, width, dtype=torch.float64), c)[0, 0]
    factor = oracle.project_out(torch.eye(width, dtype=torch.float64)[None], c)[0] - nothing
    return torch.linalg.solve(factor, output - nothing, left=False) if is_sharp(factor) else None


def _is_precise(value: Tensor, right: Tensor) -> bool:
    return bool((value - right).abs().max() < PRECISE)


def is_sharp(matrices: Tensor) -> bool:
    spread = torch.linalg.svdvals(matrices)
    return bool((spread[..., -1] >= SHARP * spread[..., 0]).all())
