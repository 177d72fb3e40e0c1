"""The state of a watch: each message makes a new state of the old one, and nothing else is done here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from grader.core import progress
from grader.core.advice import full
from grader.core.events import Advice, CheckBegan, CheckEnded, Event, NamingBegan, Report
from grader.core.hints import Hint
from grader.core.progress import Progress
from grader.formats.text import first_failing
from grader.records import CheckResult


class CheckVerdict(NamedTuple):
    """A check that has its verdict."""

    tier: str
    result: CheckResult


@dataclass(frozen=True, slots=True)
class State:
    """All that the screen is drawn from."""

    ladder: tuple[str, ...]
    kata: str
    stays: bool = False
    """Whether the user named the kata: then no full score and no save of another exercise leads to another kata."""
    visited: bool = False
    """Whether a key led to this kata: then a full score leads on only after a save."""
    best: Mapping[str, int] = field(default_factory=dict)
    """The best scores, by kata."""
    seed: int = 0
    """The same for each save, so that a number that changes was changed by the edit."""
    grading: bool = False
    running: str | None = None
    """The tier of the check that runs."""
    naming: bool = False
    """Whether all checks are judged, and the mistakes that explain the failed ones are sought."""
    judged: tuple[CheckVerdict, ...] = ()
    """The checks judged since the last save, in the order in which they ended."""
    report: Report | None = None
    """The report on the last save that was graded to the end."""
    begin: tuple[str, ...] = ()
    """The names to write first in an untouched stub."""
    refusal: str | None = None
    """Why nothing could be graded."""
    notice: str = ""
    """A line about what a key or a full score did."""
    hints: tuple[Hint, ...] = ()
    """The hints that were asked for."""
    explain: bool = False
    asks: bool = False
    """Whether the next key answers the question if the exercise is to be reset."""
    top: int = 0
    """How many lines of what was found have been scrolled away."""

    def failing_tier(self) -> str | None:
        """The tier that failed first when all was judged; its checks run first after the next save."""
        failing = first_failing(self.report) if self.report else None
        return failing[0].name if failing else None

    def saved(self) -> State:
        """Return the state when a grading of the exercise begins."""
        cleared = {"running": None, "naming": False, "judged": (), "refusal": None, "top": 0, "asks": False}
        return replace(self, grading=True, **cleared)

    def turned_to(self, kata: str, notice: str = "") -> State:
        """Return the state after a switch to another exercise."""
        kept = {"stays": self.stays, "best": self.best, "seed": self.seed, "explain": self.explain}
        return State(self.ladder, kata, **kept, notice=notice, grading=True)

    def after(self, event: Event) -> State:
        """Return the state after an event of the judge."""
        match event:
            case CheckBegan():
                return replace(self, running=event.tier)
            case CheckEnded():
                return replace(self, judged=(*self.judged, CheckVerdict(event.tier, event.result)))
            case NamingBegan():
                return replace(self, running=None, naming=True)
            case Report():
                return replace(self, report=event, running=None, naming=False, hints=() if full(event) else self.hints)
            case Advice():
                return replace(self, begin=event.begin)
        return self

    def ended(self, refusal: str | None, known: Mapping[str, Progress]) -> State:
        """Return the state after the end of a grading.

        Args:
            refusal: why nothing could be graded, if so.
            known: the scores, as they are kept now.
        """
        best = {kata: of.best for kata, of in known.items()}
        done = replace(self, grading=False, running=None, refusal=refusal, best=best)
        if refusal or self.stays or self.visited or self.report is None or not full(self.report):
            return done
        following = progress.first_left(self.ladder, known)
        if following is None:
            return replace(done, notice="all katas are at 100")
        if following == self.kata:  # its score could not be kept
            return done
        return done.turned_to(following, f"{self.kata} is at 100: every tier passed. The next one is {following}.")

    def neighbour(self, step: int) -> str | None:
        """Return the kata `step` rungs up the ladder; None: the ladder ends before."""
        place = self.ladder.index(self.kata) + step
        return self.ladder[place] if 0 <= place < len(self.ladder) else None
