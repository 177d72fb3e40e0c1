"""The scores of one's own exercises and notebooks: a small file in the user's state folder, which no reset touches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.core import place
from grader.formats.text import not_written
from grader.records import FULL_SCORE, Outcome, Report

FOLDERS = ("exercises", "notebooks")
"""Folders of the repository with the user's own files; what lies elsewhere is somebody else's."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The scores in one kata."""

    best: int = 0
    last: int = 0
    attempts: int = 0

    def after(self, score: int) -> Progress:
        """Return the progress after one more attempt, with this score."""
        return Progress(max(self.best, score), score, self.attempts + 1)


def read() -> dict[str, Progress]:
    """Return the progress by kata; empty where the file is missing or damaged."""
    file = _file()
    if file is None:
        return {}
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {str(kata): Progress(**{name: int(count) for name, count in of.items()}) for kata, of in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def keep(report: Report, path: Path, *, ran_here: bool = False) -> None:
    """Counts a graded attempt at an exercise or a notebook of this repository, unless it is an untouched stub.

    Args:
        report: the report on the attempt.
        path: the file that was graded.
        ran_here: whether a kernel ran it; then it is the user's own, whatever folder the kernel was started in.
    """
    file = _file()
    own = ran_here or path.resolve().parent in [(place.ROOT / folder).resolve() for folder in FOLDERS]
    if file is None or not own or report.outcome is not Outcome.GRADED or not_written(report):
        return
    known = read()
    known[report.kata] = known.get(report.kata, Progress()).after(report.score)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        whole = file.with_suffix(".new")
        whole.write_text(json.dumps({kata: asdict(of) for kata, of in known.items()}, indent=1), encoding="utf-8")
        whole.replace(file)


def first_left(names: Iterable[str], known: Mapping[str, Progress]) -> str | None:
    """Return the first kata whose best score is not the full score; None where there is none.

    Args:
        names: the names of the katas, in teaching order.
        known: the progress as `read` returns it.
    """
    return next((name for name in names if known.get(name, Progress()).best < FULL_SCORE), None)


def _file() -> Path | None:
    """`$XDG_STATE_HOME/attention-katas/progress.json`, or below `~/.local/state`; None without a home folder."""
    state, home = os.environ.get("XDG_STATE_HOME"), os.environ.get("HOME")
    if not state and not home:
        return None
    folder = Path(state) if state else Path(str(home)) / ".local" / "state"
    return folder / "attention-katas" / "progress.json"
