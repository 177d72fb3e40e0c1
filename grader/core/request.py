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
    """The cells that a kernel has run, graded in place of the file at `path`, which need not exist."""
    kata: str | None = None
    """The kata's name; None: taken from the submission."""
    tiers: tuple[str, ...] = ()
    """Run only these tiers; empty: all."""
    first: str | None = None
    """The tier whose checks run first where the audience is a learner; other audiences get the usual order."""
    checks: tuple[str, ...] = ()
    """Run only checks whose name contains one of these words; empty: all. For authors of katas."""
    seed: int | None = None
    """The seed of the checks' inputs; None: drawn at random."""
    device: str = "cpu"
    allow: frozenset[str] = frozenset()
    """The operators that the policy allows beside the kata's own: `sdpa`, `mha`."""
    as_they_end: bool = False
    """Whether the submissions of a stack are reported as they end, in any order; events of checks may be left out."""
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
    """The most bytes of Python source that a submission may have."""
