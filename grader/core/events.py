"""The events of a request, in this order: an intake, each submission with its report, advice."""

from dataclasses import dataclass
from typing import TypeAlias

from grader.records import CheckBegan, CheckEnded, FailedCall, NamingBegan, Report


@dataclass(frozen=True, slots=True)
class Intake:
    """What was handed in."""

    submissions: tuple[str, ...]
    """The paths, in the order in which they are graded."""
    seed: int
    """The seed of the run; in a stack each submission has its own seed, derived from it."""
    many: bool
    """Whether these are a stack, even one with a single submission, or several files."""
    by_kata: bool
    """Whether these are the exercises of several katas."""
    unread: tuple[str, ...] = ()
    """Names of files and folders at the top of a stack from which no submission came."""
    aside: tuple[str, ...] = ()
    """Paths of files that lie beside a submission and are none themselves: its tests, a program that imports it."""


@dataclass(frozen=True, slots=True)
class SubmissionBegan:
    """The grading of one submission begins."""

    submission: str
    number: int
    """Its place among the submissions, counted from 1."""
    total: int


@dataclass(frozen=True, slots=True)
class NameInCell:
    """A name, and the number of the cell that gives it its value."""

    name: str
    cell: int


@dataclass(frozen=True, slots=True)
class AnswerCells:
    """The cells of a kernel that make up the answer."""

    required: tuple[NameInCell, ...]
    """The names that the kata asks for, as far as a cell binds them."""
    used: tuple[NameInCell, ...] = ()
    """The other names that these cells use, directly or through one another."""
    left_out: tuple[int, ...] = ()
    """Numbers of cells that ran long and bind none of these names: they are not run for a grading."""


@dataclass(frozen=True, slots=True)
class NextRun:
    """What to grade next; a field that is None or empty is left out."""

    kata: str | None = None
    submission: str | None = None
    tiers: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do next."""

    next_run: NextRun | None = None
    """None where there is nothing to grade next, or the reader has to decide what."""
    begin: tuple[str, ...] = ()
    """The names to write first in an untouched stub."""


Event: TypeAlias = (
    Intake | SubmissionBegan | AnswerCells | CheckBegan | CheckEnded | FailedCall | NamingBegan | Report | Advice
)
KINDS = (Intake, SubmissionBegan, AnswerCells, CheckBegan, CheckEnded, FailedCall, NamingBegan, Report, Advice)
EVENTS = {kind.__name__: kind for kind in KINDS}
"""The kinds of events by the names under which they are sent to another process."""
