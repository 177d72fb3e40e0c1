"""The hints of a kata, read from its notebook, each with the tiers that it helps with."""

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
    """One hint of a kata."""

    about: str
    """What the hint is about, such as `shapes of masks`."""
    text: str
    """Markdown, each paragraph in one line."""
    tiers: tuple[str, ...]
    """The tiers that it helps with; empty: any tier."""
    number: int
    """The hint's number in its notebook."""


def hints(kata: str, root: Path) -> tuple[Hint, ...]:
    """Return a kata's hints in the order in which they help; none where its notebook is missing or damaged.

    Args:
        kata: the kata's name.
        root: the repository or the kit.
    """
    try:
        book = json.loads((root / "notebooks" / f"{kata}.ipynb").read_text(encoding="utf-8"))
        texts = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown"]
    except (OSError, ValueError, TypeError, KeyError):
        return ()
    return tuple(_hint(match) for text in texts for match in HINT.finditer(text))


def hinted_tier(report: Report | None) -> str | None:
    """Return the tier that failed first, which hints are for; None where none failed, or while nothing is written.

    For who has written nothing, the first hint is the one to begin with.
    """
    failing = first_failing(report) if report and not not_written(report) else None
    return failing[0].name if failing else None


def for_tier(of_kata: tuple[Hint, ...], tier: str | None) -> tuple[Hint, ...]:
    """Return the hints for this tier first, then those for any tier, then the others; with no tier, in their order."""
    return tuple(
        sorted(of_kata, key=lambda hint: 0 if tier is None or tier in hint.tiers else 1 if not hint.tiers else 2)
    )


def _hint(match: re.Match[str]) -> Hint:
    tiers = tuple(filter(None, (match["tiers"] or "").split(", ")))
    return Hint(match["about"], _unwrapped(match["text"].strip()), tiers, int(match["number"]))


def _unwrapped(text: str) -> str:
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
