"""How much time a submission has left, and which of its time budgets ends first."""

import math
from collections.abc import Callable

from grader.checks.problems import TimeSpent


class Clock:
    """Two time budgets, of the current task (loading, or a check) and of the whole submission; the first to end counts.

    Args:
        whole_s: seconds for the whole submission, counted from `start`.
        now: returns the time that counts, in seconds.
    """

    def __init__(self, whole_s: float, now: Callable[[], float]) -> None:
        self._whole_s, self._now = whole_s, now
        self._spent_at = self._ends_at = math.inf
        self.budget = ""
        """The budget that ends first, in words that follow "longer than"."""

    def start(self) -> None:
        """Starts the whole submission's time, the first time that it is called."""
        self._spent_at = min(self._spent_at, self._now() + self._whole_s)

    def begin(self, seconds: float) -> None:
        """Starts the time for a task that begins now."""
        ends_at = self._now() + seconds
        whole = f"what was left of the {self._whole_s:g} s for the whole submission"
        self.budget = f"{seconds:g} s" if ends_at <= self._spent_at else whole
        self._ends_at = min(ends_at, self._spent_at)

    def left(self) -> float:
        """Seconds that are left until the first budget ends."""
        return max(0.0, self._ends_at - self._now())

    def ask(self) -> None:
        """Checks, before a task begins, that the whole submission has time left.

        Raises:
            TimeSpent: the time for the whole submission is over.
        """
        if self._now() >= self._spent_at:
            raise TimeSpent(f"the {self._whole_s:g} s for the whole submission were spent")
