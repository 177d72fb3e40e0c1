"""What the grader is to do."""

from dataclasses import dataclass
from pathlib import Path

from grader.records import LEARNER, Cell
from grader.submission.paths import SOURCE_LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to grade, and how."""

    path: Path | None = None
    """A file, a folder or a zip file of submissions, or a kit that came back; None: the exercises."""
    cells: tuple[Cell, ...] = ()
    """What a kernel has run, in the place of the file at `path`, which need not be there."""
    kata: str | None = None
    """Its name; None: taken from the submission."""
    tiers: tuple[str, ...] = ()
    """These tiers only; empty: all."""
    first: str | None = None
    """A tier whose checks a learner sees run before the others; others than learners see the usual order."""
    checks: tuple[str, ...] = ()
    """The checks only whose name contains one of these words; empty: all. For authors of katas."""
    seed: int | None = None
    """Of the inputs; None: drawn at random."""
    device: str = "cpu"
    allow: frozenset[str] = frozenset()
    """What the policy lets pass: `sdpa`, `mha`."""
    as_they_end: bool = False
    """Whether the submissions of a stack are reported when they are done, without their checks, in any order."""
    audience: str = LEARNER
    """Who reads the reports: one of `AUDIENCES`."""
    reveal: bool = False
    """Whether a candidate is shown the checks that are public on reveal in full."""
    show_output: bool = False
    """Whether others than an interviewer are shown what the submission printed."""
    failed_call: bool = False
    """Whether the smallest failing call is reported, with its values; a candidate never sees it."""
    debug: bool = False
    """Whether a debugger opens where a check fails. For authors of katas."""
    source_bytes: int = SOURCE_LIMIT
    """The most Python source of a submission that is read."""
