"""The walk of a program through a call, beside another program's walk: what both do alike is computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

MAY_DRAW = ("scale", "mask", "dropout", "weighted_sum", "merge", "output")
"""Stages in which some mistake draws numbers, in calls that draw none."""
JOINING = {"softmax": ("scale", "mask")}
"""Stages, each with the earlier stages whose values are looked at by it alone."""


class Walk:
    """The stages that one program takes in one call.

    A stage is taken over from the program beside it where all steps so far are the same ones, and again where another
    step gave the same values, bit for bit, and drew as many numbers.

    Args:
        program: whose steps are taken.
        stages: in running order, each with the names of the steps in it.
        beside: a complete walk through the same call by another program; None: all is computed.
        draws: whether numbers are drawn in the call.
    """

    def __init__(
        self, program: Any, stages: Mapping[str, Sequence[str]], beside: Walk | None = None, *, draws: bool = False
    ) -> None:
        self.values: dict[str, Any] = {}
        self.is_the_same = beside is not None
        """Whether each step gave the very object that the program beside has: gradients are then the same too."""
        self._program, self._stages, self._beside, self._draws = program, stages, beside, draws
        self._parted: str | None = None
        self._generator_after: dict[str, Tensor] = {}
        """The generator's state after each stage: a program that goes on with this walk draws from there.

        The first walk through a call that draws nothing keeps no states.
        """

    @property
    def has_joined(self) -> bool:
        """Whether all values that later stages use are those of the program beside, wherever they came from."""
        return self._beside is not None and self._parted is None

    def take(self, stage: str, compute: Callable[[], Any]) -> Any:
        """What the stage gives, computed once.

        Args:
            stage: its name.
            compute: computes it from what the stages before it gave.
        """
        if stage not in self.values:
            self.values[stage] = compute() if self._beside is None else self._taken(self._beside, stage, compute)
            if self._draws or (stage in MAY_DRAW and self._beside is not None):
                self._generator_after[stage] = torch.default_generator.get_state()
        else:
            self._go_on_after(stage)
        return self.values[stage]

    def _go_on_after(self, stage: str) -> None:
        """What is drawn next is drawn as if the stage had just been computed."""
        if stage in self._generator_after:
            torch.default_generator.set_state(self._generator_after[stage])

    def _taken(self, beside: Walk, stage: str, compute: Callable[[], Any]) -> Any:
        known = beside.values[stage]
        if self._parted is None and all(
            getattr(self._program, step) is getattr(beside._program, step) for step in self._stages[stage]
        ):
            beside._go_on_after(stage)
            return known
        value = compute()
        self.is_the_same &= self._parted is not None or value is known
        may_join = self._parted is None or self._parted in JOINING.get(stage, ())
        if may_join and _equal(value, known) and not self._drew_otherwise(beside, stage):
            self._parted = None
            return known
        self._parted = self._parted or stage
        return value

    def _drew_otherwise(self, beside: Walk, stage: str) -> bool:
        return self._draws and not torch.equal(torch.default_generator.get_state(), beside._generator_after[stage])


def _equal(one: Any, other: Any) -> bool:
    """Whether two tensors, or tuples of them, are equal bit for bit."""
    if one is other:
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return False
    return one.dtype == other.dtype and one.shape == other.shape and torch.equal(one, other)
