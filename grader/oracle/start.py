"""Start values that nn.Linear leaves where the contract wants others, told by their bound and their spread."""

import math
from collections.abc import Iterable

from torch import Tensor

from grader.checks.attention import StartValues
from grader.oracle.mistake import Mistake
from grader.oracle.sections import BY_STEP


def left_by_linear(started: Iterable[StartValues], looked_at: str) -> Mistake | None:
    """That parameters start as nn.Linear draws them, uniformly within 1 / sqrt(E); None: those looked at do not.

    Args:
        started: the new objects of a check.
        looked_at: by the claim that does not hold, with the paths of parameters.
    """
    left = {path for each in started for path, values in each.values.items() if _is_left(values, each.size.embed_dim)}
    if not any(path in looked_at.split() for path in left):
        return None
    *others, last = sorted(left)
    paths = f"{', '.join(others)} and {last}" if others else last
    return Mistake(
        "start_values_of_linear",
        f"{paths} started uniformly within 1 / sqrt(E), as nn.Linear leaves them",
        why="Xavier's range keeps the spread of the features through the layer, and a bias of 0 adds nothing yet.",
        own_section=BY_STEP["project"],
    )


def _is_left(values: Tensor, features: int) -> bool:
    """Chance makes one in 10^5 of those that are drawn so look otherwise."""
    bound, count = 1 / math.sqrt(features), values.numel()
    if count < 2 or values.abs().max() > bound * (1 + 1e-6) or values.abs().max() < bound * (1 - 12 / count):
        return False
    spread = float(values.double().square().mean().sqrt()) * math.sqrt(3) / bound
    return abs(spread - 1) < 4 * math.sqrt(0.2 / count)
