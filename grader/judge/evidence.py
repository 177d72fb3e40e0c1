"""Records for the pictures in a report: the tensors of a failed comparison, and the panels of a wrong call."""

import math
from typing import Any

from grader.checks.expect import Comparison
from grader.checks.kata import Panels
from grader.records import Evidence, Picture

MOST_VALUES = 512
"""The most values of a tensor that is kept.

Nobody reads a larger picture, and a report holds the tensors of each check that failed.
"""


def evidence(compared: Comparison | None) -> Evidence | None:
    """The tensors as nested tuples; None: there are none, or they are empty, a single number, or too large."""
    if compared is None or not compared.got.dim() or not 0 < compared.got.numel() <= MOST_VALUES:
        return None
    got, differs, expected = compared
    return Evidence(
        _nested(got.tolist()), _nested(differs.int().tolist()), None if expected is None else _nested(expected.tolist())
    )


def picture(panels: Panels) -> Picture:
    """The panels as a record."""
    what, call, axes, titles, got, expected, hidden, _ = panels
    tensors = got.tolist(), expected.tolist(), None if hidden is None else hidden.int().tolist()
    return Picture(what, call, axes, titles, *map(_nested, tensors))


def _nested(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_nested, value))
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else str(value)
