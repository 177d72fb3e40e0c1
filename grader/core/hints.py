"""The hints of a kata, each for the tiers that it helps with, as its notebook has them."""

import json
import re
from pathlib import Path
from typing import NamedTuple

from grader.formats.text import first_failing, not_written
from grader.records import Report

HINT = re.compile(
    r'<details(?: data-tiers="(?P<tiers>[^"]*)")?><summary>Hint (?P<number>\d+): (?P<about>.*?)</summary>'
    r"\s*(?P<text>.*?)</details>",
    re.DOTALL,
)


class Hint(NamedTuple):
    """One of them."""

    about: str
    """`shapes of masks`."""
    text: str
    """Markdown, each paragraph in one line."""
    tiers: tuple[str, ...]
    """Empty: it helps with any."""
    number: int
    """As its notebook has it."""


def hints(kata: str, root: Path) -> tuple[Hint, ...]:
    """In the order in which they help; none where the notebook is gone or damaged.

    Args:
        kata: its name.
        root: the repository or the kit.
    """
    try:
        book = json.loads((root / "notebooks" / f"{kata}.ipynb").read_text(encoding="utf-8"))
        texts = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown"]
    except (OSError, ValueError, TypeError, KeyError):
        return ()
    return tuple(_hint(match) for text in texts for match in HINT.finditer(text))


def hinted_tier(report: Report | None) -> str | None:
    """The tier that failed first, which hints are for; None while nothing is written: the first hint is on that."""
    failing = first_failing(report) if report and not not_written(report) else None
    return failing[0].name if failing else None


def for_tier(of_kata: tuple[Hint, ...], tier: str | None) -> tuple[Hint, ...]:
    """Those of a tier first, then those that help with any, then the others; None: in their order."""
    return tuple(
        sorted(of_kata, key=lambda hint: 0 if tier is None or tier in hint.tiers else 1 if not hint.tiers else 2)
    )


def _hint(match: re.Match[str]) -> Hint:
    tiers = tuple(filter(None, (match["tiers"] or "").split(", ")))
    return Hint(match["about"], _unwrapped(match["text"].strip()), tiers, int(match["number"]))


def _unwrapped(text: str) -> str:
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
