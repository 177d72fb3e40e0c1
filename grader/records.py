"""Plain records that every floor may know: what a kata asks for, what was handed in, what was found."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

FULL_SCORE = 100
"""The points of every kata."""
ONLY, SEEN = "; only in calls ", "; seen in calls "
"""Joins a mistake's sentence and the calls in which it is made: `ONLY`, in no others; `SEEN`, maybe in others too."""
GROUPS = ("foundations", "memory and numbers", "testing", "repairing")
"""The groups of katas in tables, in teaching order."""


def without_calls(mistake: str) -> str:
    """The sentence of a mistake, without the words for the calls in which it is made."""
    return mistake.partition(ONLY)[0].partition(SEEN)[0]


class GraderError(Exception):
    """Wrong use: the message names the thing, then the repair. The command line exits with 2."""


class Verdict(StrEnum):
    """What became of one check."""

    PASS = "pass"
    FAIL = "fail"
    TODO = "todo"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"
    POLICY = "policy"
    SKIP = "skip"
    BROKEN = "broken"


class Outcome(StrEnum):
    """What became of the submission as a whole."""

    GRADED = "graded"
    UNLOADABLE = "unloadable"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"
    BROKEN = "broken"


class Visibility(StrEnum):
    """How much of a check a candidate may see."""

    PUBLIC = "public"
    """All of it, and the check itself: it is in the kit."""
    ON_REVEAL = "on reveal"
    """Its claim, verdict, points and a proven mistake; values and sizes only where asked for (`--reveal all`)."""
    HIDDEN = "hidden"
    """Its claim, verdict, points and a proven mistake, and never its values and sizes."""


AUDIENCES = (CANDIDATE, LEARNER, INTERVIEWER) = ("candidate", "learner", "interviewer")
"""Who reads a report. A candidate is shown no value and no size of a hidden check; a learner, who has the whole
repository, is shown all; an interviewer is also given a question to ask for each failed tier."""


@dataclass(frozen=True, slots=True)
class RequiredName:
    """One name that a kata asks a submission to define."""

    name: str
    """`MultiHeadAttention`, or `MultiHeadAttention.forward` for a method."""
    kind: str
    """`class`, `function` or `method`."""
    signature: str | None = None
    """As Python writes it, without `self`: `(x, kv=None, *, need_weights=False)`. None: not compared.

    For a class that is given, only the names of its parameters and their defaults are compared, for a note.
    """
    supplied: str | None = None
    """Source of a definition that is given: loaded before the submission, which may replace it."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a submission for one kata must define."""

    kata: str
    needed: tuple[RequiredName, ...]
    by_name_alone: bool = False
    """Another kata asks for the same names: this one is meant only where the file or the notebook says its name."""


OPERATORS = frozenset({"sdpa", "mha"})
"""What a kata or an interviewer may allow: `sdpa` is scaled_dot_product_attention, `mha` all of PyTorch's attention."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Which operators a kata forbids, and which it asks for, by the words in `OPERATORS`."""

    forbidden: frozenset[str] = OPERATORS
    required: frozenset[str] = frozenset()

    @property
    def allowed(self) -> frozenset[str]:
        """The operators that it does not forbid."""
        return OPERATORS - self.forbidden


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of source that runs on its own: a notebook's code cell, or a whole `.py` file."""

    source: str
    number: int | None = None
    """Count of code cells from the top, from 1, or the number of its prompt; None for a `.py` file."""
    seconds: float | None = None
    """How long its run took in a kernel; None: not known."""
    has_prompt: bool = False
    """A kernel has run it, and the notebook shows `In [number]` beside it."""
    is_excused: bool = False
    """An exception when it is run again is not worth a note: it ran well in the kernel, or is no longer there."""

    @property
    def name(self) -> str | None:
        """`cell 9`, or `In [9]`; None for a `.py` file."""
        if self.number is None:
            return None
        return f"In [{self.number}]" if self.has_prompt else f"cell {self.number}"


@dataclass(frozen=True, slots=True)
class Definition:
    """What a submission's source defines at its top, or in a class there: a hint, for none of it was run."""

    name: str
    """`attend`, `Layer`, `Layer.forward`."""
    kind: str
    """`class`, `function`, `method` or `other`."""
    signature: str | None = None
    """As Python writes it, without `self`; None: not known without running the code."""
    uses: tuple[str, ...] = ()
    """The names that the definition mentions."""
    is_todo: bool = False
    """Whether it names NotImplementedError, as a stub does."""
    digest: str = ""
    """Digest of the code that gives the name, or its class, a value; comments and blank lines do not count."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What was handed in, read and decoded, not yet run."""

    path: Path
    sha256: str
    cells: tuple[Cell, ...]
    is_notebook: bool
    kata_hint: str | None = None
    """The kata that the notebook's metadata names."""
    beside: frozenset[str] = frozenset()
    """Modules that it imports and that lie beside it, of which none is read."""
    imports: tuple[str, ...] = ()
    """What its worker imports before it locks itself in (`grader.submission.imports`)."""
    worth_reading: str | None = None
    """What it names that no answer needs (`grader.submission.suspects`)."""
    definitions: tuple[Definition, ...] = ()
    """What its source defines, to pick the kata by."""

    @property
    def file(self) -> str:
        """The file's name as text: a byte that is not text becomes a question mark, as the wire takes only text."""
        return self.path.name.encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a named mistake is a mistake."""

    why: str
    section: str
    """Where to read on: `notebooks/scaffold.ipynb#Scores`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tensors that a failed claim compared, where they are small enough for a picture.

    Each is nested tuples of the tensor's shape. A number has 6 digits; one that is not finite is a string: `nan`.
    """

    got: tuple[Any, ...]
    differs: tuple[Any, ...]
    """1 where the claim does not hold, else 0."""
    expected: tuple[Any, ...] | None = None
    """None: the claim is about the values alone, such as that they are finite."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One wrong call drawn, a panel for each head; numbers are written as in `Evidence`."""

    what: str
    """What the panels show: `weights returned`."""
    call: str
    """The sizes of the call, and which sequence of the batch it is."""
    axes: tuple[str, str]
    """What the rows and columns of each panel stand for: `query` and `key`."""
    titles: tuple[str, ...]
    """The title of each panel: `head 0`."""
    got: tuple[Any, ...]
    """(panels, rows, columns)."""
    expected: tuple[Any, ...]
    """Of the same shape."""
    hidden: tuple[Any, ...] | None = None
    """1 where a mask hides the cell, else 0, of the same shape; None: there is no mask, or the cells are no weights."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check's verdict, its points, and how a wrong answer is worded."""

    name: str
    claim: str
    verdict: Verdict
    points: int
    max_points: int
    what: str | None = None
    expected: str | None = None
    got: str | None = None
    mistakes: tuple[str, ...] = ()
    """What explains the values, where that is proven: one sentence, two where two mistakes were made at once."""
    where: str | None = None
    inputs: str | None = None
    """For a wrong answer, the call that was made last, with the sizes of its inputs; for an interviewer."""
    called: str | None = None
    """For a wrong answer, only the name of what was called last; for every reader."""
    reasons: tuple[Reason, ...] = ()
    """One for each mistake named, two where two were made at once."""
    visibility: Visibility = Visibility.HIDDEN
    evidence: Evidence | None = None
    picture: Picture | None = None
    """A picture of a wrong call of this check; at most one check of each visibility has one."""

    @property
    def mistake(self) -> str | None:
        """The first of the mistakes; None: none is proven."""
        return self.mistakes[0] if self.mistakes else None


@dataclass(frozen=True, slots=True)
class TierResult:
    """The checks of one tier, in running order."""

    name: str
    proves: str
    checks: tuple[CheckResult, ...]
    question: str | None = None
    """A question for an interviewer to ask, where the tier failed."""

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)

    @property
    def max_points(self) -> int:
        return sum(check.max_points for check in self.checks)

    @property
    def passed(self) -> bool:
        return all(check.verdict is Verdict.PASS for check in self.checks)


@dataclass(frozen=True, slots=True)
class Report:
    """All that one run found about one submission."""

    kata: str
    submission: str
    sha256: str
    seed: int
    device: str
    outcome: Outcome
    duration_s: float
    protections: dict[str, bool]
    tiers: tuple[TierResult, ...] = ()
    message: str | None = None
    """Why nothing could be graded, where the outcome is not `graded`."""
    parts_at: str | None = None
    """The first place from which the values are wrong, by what is right before it, where that is proven."""
    fails_when: str | None = None
    """In which calls the values are wrong or the submission raised, where what they share sets them apart."""
    notes: tuple[str, ...] = ()
    """Remarks that cost no points: cells that raised, an early stop of the output."""
    remarks: tuple[str, ...] = ()
    """What is to be said whatever the code does: which files of its kit were changed."""
    worth_reading: str | None = None
    """What the source names that no answer needs, for the interviewer: a reader's remark, not a finding."""
    output: str = ""
    """The end of what the submission printed; for the interviewer's eyes."""
    source: tuple[Cell, ...] = ()
    """What was graded, for a page that shows it beside the findings; a report that was read back has none."""
    digest: str = ""
    """Digest of the checks and of how they were run: the same file, seed and digest give the same report."""

    @property
    def score(self) -> int:
        return sum(tier.points for tier in self.tiers)

    @property
    def max_score(self) -> int:
        """The points of the tiers; where the kata is not known, the points that any kata has."""
        return sum(tier.max_points for tier in self.tiers) or FULL_SCORE

    @property
    def reason(self) -> str:
        """The message, or that there is none."""
        return self.message or "no reason was given"

    @property
    def isolated(self) -> bool | None:
        """Whether every protection was on; None: nothing was run."""
        return all(self.protections.values()) if self.protections else None

    @property
    def reached(self) -> str | None:
        """The last tier of the unbroken run of passed tiers, or None."""
        reached = None
        for tier in self.tiers:
            if not tier.passed:
                break
            reached = tier.name
        return reached


@dataclass(frozen=True, slots=True)
class SentValue:
    """A tensor, or a plain value, on its way to another process; all digits are kept."""

    dtype: str | None
    """Such as `float64`; None: it is a single plain value."""
    shape: tuple[int, ...]
    values: tuple[Any, ...]
    """The values in memory order; a number that is not finite is a string: `nan`."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """The smallest call in which a submission was wrong, of the first tier that failed."""

    tier: str
    check: str
    call: str
    """The call in words, with sizes."""
    made: str
    """How the object was made that was called; empty: a function was."""
    inputs: dict[str, SentValue]
    """The inputs, by the contract's names."""
    parameters: dict[str, SentValue]
    """The object's parameters, by path."""
    expected: SentValue | None
    """None: the claim is about the values alone, or the call raised."""
    got: SentValue | None
    """None: the call raised."""
    printed: str
    """What the submission printed in this call."""


@dataclass(frozen=True, slots=True)
class CheckBegan:
    """A check begins to run."""

    tier: str
    name: str
    claim: str


@dataclass(frozen=True, slots=True)
class CheckEnded:
    """A check has ended; what explains a failure is found out later and stands in the report alone."""

    tier: str
    result: CheckResult


@dataclass(frozen=True, slots=True)
class NamingBegan:
    """All checks have ended, and mistakes that explain the failed ones are sought; verdicts and points are final."""

    failed: int
    """The number of failed checks."""
