"""Finds a number that makes values fit: on a grid and then between its points, or from sums of the values."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product

from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.oracle.pipeline import Context

GRID = tuple(10 ** (step / 10) for step in range(-30, 31))
HALVINGS = 60
"""How often the interval around the best point of the grid is narrowed: the golden section leaves 1e-12 of it."""
FIRST_HALVINGS, NEARER = 20, 0.05
"""After so many halvings, the search ends where the distance is still above this share of the grid's best.

The interval is then 1e-4 of what it was, so that such a distance is no rounding.
"""
SAME = 1e-6
"""How far two equal values of a call in float64 are apart at most."""
GOLDEN = (math.sqrt(5) - 1) / 2
WIDTHS: tuple[tuple[str, Callable[[Context], int]], ...] = (
    ("head_dim", lambda c: c.size.head_dim),
    ("the embedding size", lambda c: c.size.embed_dim),
    ("num_heads", lambda c: c.size.num_heads),
    ("the number of keys", lambda c: c.case.keys.shape[-2]),
    ("the number of queries", lambda c: c.case.query.shape[-2]),
)
POWERS = (
    (-0.5, "divided by the root of {}"),
    (-1.0, "divided by {}"),
    (0.5, "multiplied by the root of {}"),
    (1.0, "multiplied by {}"),
    (-0.25, "divided by the fourth root of {}"),
)
"""Powers of a size by which values may be multiplied, with their words."""


def fitted(distance: Callable[[float], float], grid: Sequence[float]) -> float | None:
    """The number of the grid's range with the least distance, by a golden section around the grid's best.

    None: the distance does not go to 0.
    """
    at = [distance(number) for number in grid]
    best = min(range(len(grid)), key=at.__getitem__)
    if at[best] < SAME:  # the commonest numbers are on the grid
        return grid[best]
    low, high = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = distance(left), distance(right)
    for halving in range(HALVINGS):
        if halving == FIRST_HALVINGS and min(at_left, at_right) > NEARER * at[best]:
            return None
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = distance(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = distance(right)
    return (low + high) / 2


def nearest_factor(output: Tensor, right: Tensor) -> float:
    """The factor with which the right output comes nearest to the submission's, by least squares."""
    return float((output * right).sum() / (right * right).sum())


def powers_of_sizes(factor: float, c: Context) -> Iterator[tuple[str, Callable[[Context], float]]]:
    """The powers of sizes that equal a factor in a call, each in words and as a function of any call's context.

    Args:
        factor: as it was read off.
        c: the context of the call.
    """
    for (what, size), (power, how) in product(WIDTHS, POWERS):
        if abs(factor / size(c) ** power - 1) < SAME:
            yield how.format(what), lambda c, size=size, power=power: size(c) ** power


def less_bias(output: Tensor, call: AttentionCall) -> Tensor:
    """The output less its bias, if that fits: a function without layers is given projections too, and uses none."""
    bias = call.weights.o_bias
    return output if bias is None or bias.shape[-1] != output.shape[-1] else output - bias
