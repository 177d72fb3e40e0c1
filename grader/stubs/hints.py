"""The hints of a kata, each for the tiers that it helps with."""

import re
from pathlib import Path
from typing import NamedTuple

from grader.stubs.solution_cells import read_cells

HINT = re.compile(
    r'<details(?: data-tiers="(?P<tiers>[^"]*)")?><summary>(?P<title>Hint \d+: .*?)</summary>'
    r"\s*(?P<text>.*?)</details>",
    re.DOTALL,
)


class Hint(NamedTuple):
    """One of them."""

    title: str
    """`Hint 2: shapes of masks`."""
    text: str
    """Markdown."""
    tiers: tuple[str, ...]
    """Empty: it helps with any."""


def hints(kata: str, root: Path) -> tuple[Hint, ...]:
    """All of a kata, in their order; none where the solution is not there, as in a kit.

    Args:
        kata: its name.
        root: the repository.
    """
    path = root / "solutions" / f"{kata}.py"
    if not path.is_file():
        return ()
    cells = read_cells(path.read_text(encoding="utf-8"), path)
    return tuple(
        Hint(found["title"], found["text"].strip(), tuple(filter(None, (found["tiers"] or "").split(", "))))
        for cell in cells
        if cell.tag == "hints"
        for found in HINT.finditer(cell.source)
    )


def for_tier(of_kata: tuple[Hint, ...], tier: str | None) -> tuple[Hint, ...]:
    """Those of a tier first, then those that help with any, then the others; None: in their order."""
    return tuple(
        sorted(of_kata, key=lambda hint: 0 if tier is None or tier in hint.tiers else 1 if not hint.tiers else 2)
    )
