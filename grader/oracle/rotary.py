"""Attention with rotary positions: a family of the pipeline whose queries and keys are turned by their positions.

Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.2.2, with the features paired
by halves: feature i with feature i + D / 2.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.oracle.pipeline import PER_HEAD, Context, Steps

Turn = Callable[[Tensor, Context], Tensor]
"""Rotates a tensor (N, H, L, D) by the positions of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RotarySteps(Steps):
    """The steps of a pipeline, with those between the split and the scores that rotate queries and keys.

    Attributes:
        positions: a number of tokens becomes their positions, float64 (L,) or (N, L).
        frequencies: a number of features becomes the angle per position of each pair of features, (D / 2,).
        angles: positions and frequencies become angles, (L, D) or (N, 1, L, D).
        partner: what each feature is turned towards, (N, H, L, D).
        turn: features, their partners and angles become the turned features.
        rotate: query, key and value become those that attention is computed on; its first argument turns a tensor.
    """

    positions: Callable[[int, Context], Tensor]
    frequencies: Callable[[int, Context], Tensor]
    angles: Callable[[Tensor, Tensor, Context], Tensor]
    partner: Callable[[Tensor, Context], Tensor]
    turn: Callable[[Tensor, Tensor, Tensor, Context], Tensor]
    rotate: Callable[[Turn, Tensor, Tensor, Tensor, Context], tuple[Tensor, Tensor, Tensor]]

    stages: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Steps.stages,
        "split": ("split", "positions", "frequencies", "angles", "partner", "turn", "rotate"),
    }

    def turned(self, x: Tensor, c: Context) -> Tensor:
        """A tensor (N, H, L, D), turned by the positions of the call."""
        length, width = x.shape[-2:]
        angles = self.angles(self.positions(length, c), self.frequencies(width, c), c)
        return self.turn(x, self.partner(x, c), angles, c)

    def prepared(self, query: Tensor, key: Tensor, value: Tensor, c: Context) -> tuple[Tensor, Tensor, Tensor]:
        return self.rotate(self.turned, query, key, value, c)


def positions(length: int, c: Context) -> Tensor:
    given = c.case.positions
    return torch.arange(length, dtype=torch.float64) if given is None else given.double()


def base_of(c: Context) -> float:
    """The base of the frequencies, which is a field of the sizes of a rotary attention."""
    size: Any = c.size
    return float(size.base)


def frequencies(width: int, c: Context) -> Tensor:
    return base_of(c) ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)


def angles(positions: Tensor, frequencies: Tensor, c: Context) -> Tensor:
    """The angle of each feature of each token.

    Args:
        positions: (L,) or (N, L).
        frequencies: (D / 2,).
        c: as every step gets it; not looked at.
    """
    half = positions[..., None] * frequencies
    return over_heads(torch.cat([half, half], dim=-1))


def over_heads(angles: Tensor) -> Tensor:
    """Angles (N, L, D) with an axis for the heads added: (N, 1, L, D)."""
    return angles[:, None] if angles.dim() == 3 else angles


def partner(x: Tensor, c: Context) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


def turn(x: Tensor, partner: Tensor, angles: Tensor, c: Context) -> Tensor:
    """Each feature and its partner, weighed by the cosine and the sine.

    Args:
        x: (N, H, L, D).
        partner: (N, H, L, D).
        angles: broadcastable to x.
        c: as every step gets it; not looked at.
    """
    return (x * angles.cos() + partner * angles.sin()).to(x.dtype)


def rotate(turned: Turn, query: Tensor, key: Tensor, value: Tensor, c: Context) -> tuple[Tensor, Tensor, Tensor]:
    """Queries and keys are turned, values are not.

    Args:
        turned: turns a tensor.
        query: (N, H, L, D).
        key: (N, H, L, D).
        value: (N, H, L, D).
        c: as every step gets it.
    """
    return turned(query, c), turned(key, c), value


ROTARY = RotarySteps(
    **{field.name: getattr(PER_HEAD, field.name) for field in fields(PER_HEAD)},
    positions=positions,
    frequencies=frequencies,
    angles=angles,
    partner=partner,
    turn=turn,
    rotate=rotate,
)
