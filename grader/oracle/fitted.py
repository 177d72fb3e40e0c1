"""One number that makes values fit, looked for on a grid and then between its places, or taken from their sums."""

import math
from collections.abc import Callable, Sequence

from torch import Tensor

from grader.checks.attention import AttentionCall

GRID = tuple(10 ** (step / 10) for step in range(-30, 31))
HALVINGS = 60
"""Of the interval around the best point of the grid: the golden section leaves 1e-12 of it."""
FIRST_HALVINGS, NEARER = 20, 0.05
"""After so many the interval is 1e-4 of what it was: one above this share of the grid's best is no rounding."""
SAME = 1e-6
"""How far two equal values of a call in float64 are apart at most."""
GOLDEN = (math.sqrt(5) - 1) / 2


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
    """By which the right one comes nearest to the output."""
    return float((output * right).sum() / (right * right).sum())


def less_bias(output: Tensor, call: AttentionCall) -> Tensor:
    """The output before its bias was added. A function without layers is given projections, too, and uses none."""
    bias = call.weights.o_bias
    return output if bias is None or bias.shape[-1] != output.shape[-1] else output - bias
