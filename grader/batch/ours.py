"""Our own texts, to hold submissions against: they are read, and never run."""

from collections.abc import Collection
from functools import cache

from grader.core import place
from grader.records import Cell, GraderError
from grader.submission.decode import decode
from grader.submission.likeness import Sketch, numbers, sketch


@cache
def read_given(kata: str) -> frozenset[int]:
    """What everybody was given, the exercise and the notebook, as `sketch` takes it; empty where there is none."""
    return frozenset(numbers(_cells(f"exercises/{kata}.py")) | numbers(_cells(f"notebooks/{kata}.ipynb")))


def solutions(katas: Collection[str]) -> dict[str, Sketch]:
    """Sketches of our solutions, by the kata; none where they were left out."""
    cells = {kata: _cells(f"solutions/{kata}.py") for kata in katas}
    return {kata: sketch(cells[kata], read_given(kata)) for kata in katas if cells[kata]}


def _cells(name: str) -> tuple[Cell, ...]:
    """Of one of our files; none where it is missing, or no source any more."""
    path = place.ROOT / name
    try:
        return decode(path, path.read_bytes()).cells
    except (OSError, GraderError):
        return ()
