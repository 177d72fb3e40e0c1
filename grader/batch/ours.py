"""Our own texts, to hold submissions against: they are read, and never run."""

from collections.abc import Collection
from functools import cache

from grader.core import place
from grader.records import Cell
from grader.submission.likeness import Sketch, shingles, sketch


@cache
def stub_shingles(kata: str) -> frozenset[int]:
    """Of what everybody was given; empty where there is none."""
    return frozenset(shingles(_text("exercises", kata)))


def solutions(katas: Collection[str]) -> dict[str, Sketch]:
    """Sketches of our solutions, by the kata; none where they were left out."""
    texts = {kata: _text("solutions", kata) for kata in katas}
    return {kata: sketch(cells, stub_shingles(kata)) for kata, cells in texts.items() if cells}


def _text(folder: str, kata: str) -> list[Cell]:
    path = place.ROOT / folder / f"{kata}.py"
    if not kata.isidentifier() or not path.is_file():
        return []
    return [Cell(path.read_text(encoding="utf-8", errors="replace"))]
