"""Our own texts, which submissions are compared with: they are read, and never run."""

from collections.abc import Collection
from functools import cache

from grader.core import place
from grader.records import Cell, GraderError
from grader.submission.decode import decode
from grader.submission.likeness import Sketch, numbers, sketch


@cache
def read_given(kata: str) -> frozenset[int]:
    """Return what everybody was given, exercise and notebook, in the form that `sketch` takes; empty: nothing."""
    return frozenset(numbers(_cells(f"exercises/{kata}.py")) | numbers(_cells(f"notebooks/{kata}.ipynb")))


def solutions(katas: Collection[str]) -> dict[str, Sketch]:
    """Return sketches of our solutions, by the kata; a kata whose solution is not here has none."""
    cells = {kata: _cells(f"solutions/{kata}.py") for kata in katas}
    return {kata: sketch(cells[kata], read_given(kata)) for kata in katas if cells[kata]}


def _cells(name: str) -> tuple[Cell, ...]:
    """Return the cells of one of our files; none where it is missing, or cannot be read as source any more."""
    path = place.ROOT / name
    try:
        return decode(path, path.read_bytes()).cells
    except (OSError, GraderError):
        return ()
