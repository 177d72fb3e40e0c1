"""`list`: the ladder of katas, with your best scores, the points of the tiers, and what is next."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from grader.core import judging, progress
from grader.core.progress import Progress
from grader.formats.lines import say
from grader.records import GROUPS

if TYPE_CHECKING:
    from grader.checks.kata import Kata

HELP = "the katas in teaching order, your best scores, and what is next"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add no options: the command has none."""


def run(options: argparse.Namespace) -> int:
    """Print the ladder of katas."""
    katas, known = judging.load_judge().katas, progress.read()
    width = max(len(kata.name) for kata in katas)
    for group in GROUPS:
        of_group = [kata for kata in katas if kata.group == group]
        if of_group:
            say(f"{group}\n\n" + "".join(_row(kata, known.get(kata.name), width) for kata in of_group))
    left = progress.first_left((kata.name for kata in katas), known)
    say(f"next: make grade KATA={left}\n" if left else "next: all katas are at 100\n")
    return 0


def _row(kata: Kata, known: Progress | None, width: int) -> str:
    best = "  -" if known is None else f"{known.best:>3}"
    points = ", ".join(f"{name} {points}" for name, points in judging.tier_points(kata).items())
    below = " " * (width + 9)
    lines = [f"  {best}  {kata.name:<{width}}  {kata.title}", f"{below}{points}", f"{below}{kata.paper}"]
    lines += [f"{below}interview question: {kata.question}"] if kata.question else []
    return "\n".join(lines) + "\n\n"
