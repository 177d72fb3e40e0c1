"""Which callables of a submission ended its workers, and which of them are not called again."""

from __future__ import annotations

from collections import Counter

from grader.checks.problems import OutOfMemory, TimeSpent
from grader.records import Verdict
from grader.sandbox import WorkerLost

MOST = 2
"""How often a callable may end a worker: after that it is not called again, so that a submission is done in time."""
WORDS = {
    Verdict.TIMEOUT: "ran out of time",
    Verdict.MEMORY: "ran out of memory",
    Verdict.CRASH: "ended its process",
}


class Losses:
    """Counts how often each callable of one submission ended a worker.

    Once one callable is given up, each other one gets a single try.
    """

    def __init__(self) -> None:
        self.noted: list[tuple[str, WorkerLost | OutOfMemory]] = []
        """Each callable that ended a worker, and what became of that worker, in order."""
        self._counts = Counter[str]()
        self._given_up = dict[str, Verdict]()
        """The callables that are not called again, by name, each with the verdict on its last loss."""

    @property
    def has_given_up(self) -> bool:
        """Whether some callable is not called again."""
        return bool(self._given_up)

    def copy(self) -> Losses:
        """A copy with the same losses so far."""
        other = Losses()
        for name, lost in self.noted:
            other.note(name, lost)
        return other

    def note(self, name: str, lost: WorkerLost | OutOfMemory) -> None:
        """Notes that a callable ended a worker.

        Args:
            name: the callable's name.
            lost: what became of the worker.
        """
        self.noted.append((name, lost))
        self._counts[name] += 1
        if self._counts[name] >= MOST or self._given_up:
            self._given_up[name] = lost.verdict if isinstance(lost, WorkerLost) else Verdict.MEMORY

    def refusal(self, name: str) -> TimeSpent | None:
        """Why the callable is not called again; None: it may be called."""
        if name not in self._given_up:
            return None
        verdict = self._given_up[name] if self._given_up[name] in WORDS else Verdict.CRASH
        times = " twice" if self._counts[name] >= MOST else ""
        return TimeSpent(f"{name} {WORDS[verdict]}{times}", verdict)
