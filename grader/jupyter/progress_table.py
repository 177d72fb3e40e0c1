"""What `%progress` shows: each kata with its scores, and what is next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from grader.core import progress
from grader.core.progress import Progress

if TYPE_CHECKING:
    from grader.checks.kata import Kata


HEAD = ("kata", "best", "last", "attempts")
ALL = "all katas are at 100"


class ProgressTable:
    """A table of scores, with links in a notebook and as plain lines in a terminal.

    Args:
        katas: the katas in teaching order.
        known: the scores kept, by kata.
    """

    def __init__(self, katas: Sequence[Kata], known: Mapping[str, Progress]) -> None:
        scores = {kata.name: known.get(kata.name) for kata in katas}
        self._rows = [(name, *(("-", "-", "-") if of is None else astuple(of))) for name, of in scores.items()]
        self._next = progress.first_left(scores, known)

    def _repr_markdown_(self) -> str:
        rows = [f"| [{name}]({name}.ipynb) | {best} | {last} | {count} |" for name, best, last, count in self._rows]
        left = f"next: [{self._next}]({self._next}.ipynb)" if self._next else ALL
        return "\n".join(["| " + " | ".join(HEAD) + " |", "|---|---|---|---|", *rows, "", left])

    def __repr__(self) -> str:
        width = max(len(name) for name, *_ in self._rows)
        rows = [f"{name:<{width}}  {best:>4}  {last:>4}  {count:>8}" for name, best, last, count in [HEAD, *self._rows]]
        return "\n".join([*rows, "", f"next: {self._next}" if self._next else ALL])
