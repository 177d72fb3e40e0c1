"""What happens while a request is worked on, in this order: an intake, each submission with its report, advice."""

from dataclasses import dataclass
from typing import TypeAlias

from grader.records import CheckBegan, CheckEnded, FailedCall, NamingBegan, Report


@dataclass(frozen=True, slots=True)
class Intake:
    """What was handed in."""

    submissions: tuple[str, ...]
    """The paths, in the order in which they are graded."""
    seed: int
    """The run's; in a stack each submission has its own, derived from it."""
    many: bool
    """Whether these are a stack, be it of one, or several files."""
    by_kata: bool
    """Whether these are the exercises of several katas."""
    unread: tuple[str, ...] = ()
    """Names at the top of a stack from which no submission came."""
    aside: tuple[str, ...] = ()
    """Paths of what lies beside a submission and is none: tests of it, a program that imports it."""


@dataclass(frozen=True, slots=True)
class SubmissionBegan:
    """One of the submissions is graded from now on."""

    submission: str
    number: int
    """From 1."""
    total: int


@dataclass(frozen=True, slots=True)
class NameInCell:
    """Where a name has its value from."""

    name: str
    cell: int


@dataclass(frozen=True, slots=True)
class AnswerCells:
    """Of a kernel's cells, those that make the answer."""

    required: tuple[NameInCell, ...]
    """What the kata asks for, where it is there."""
    used: tuple[NameInCell, ...] = ()
    """What that uses, and what those use."""
    left_out: tuple[int, ...] = ()
    """Cells that ran long and give none of these names: they are not run for a grading."""


@dataclass(frozen=True, slots=True)
class NextRun:
    """What to grade next; None or empty: left out."""

    kata: str | None = None
    submission: str | None = None
    tiers: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do next."""

    next_run: NextRun | None = None
    """None: nothing, or that is for the reader to say."""
    begin: tuple[str, ...] = ()
    """The names to write first in an untouched stub."""


Event: TypeAlias = (
    Intake | SubmissionBegan | AnswerCells | CheckBegan | CheckEnded | FailedCall | NamingBegan | Report | Advice
)
KINDS = (Intake, SubmissionBegan, AnswerCells, CheckBegan, CheckEnded, FailedCall, NamingBegan, Report, Advice)
EVENTS = {kind.__name__: kind for kind in KINDS}
"""By the names that they have where they are sent to another process."""
