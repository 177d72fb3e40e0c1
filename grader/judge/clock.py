"""How long a submission may go on, and by which of its budgets."""

import math
from collections.abc import Callable

from grader.checks.problems import TimeSpent


class Clock:
    """What was last begun and the whole submission each have their time; the one that ends first is named.

    Args:
        whole_s: seconds of the whole submission, from `start`.
        now: the time that counts, in seconds.
    """

    def __init__(self, whole_s: float, now: Callable[[], float]) -> None:
        self._whole_s, self._now = whole_s, now
        self._spent_at = self._ends_at = math.inf
        self.budget = ""
        """The time that is over first, in words that follow on "longer than"."""

    def start(self) -> None:
        """Starts the whole submission's time, the first time that it is called."""
        self._spent_at = min(self._spent_at, self._now() + self._whole_s)

    def begin(self, seconds: float) -> None:
        """Starts the time of what is begun now."""
        ends_at = self._now() + seconds
        whole = f"what was left of the {self._whole_s:g} s for the whole submission"
        self.budget = f"{seconds:g} s" if ends_at <= self._spent_at else whole
        self._ends_at = min(ends_at, self._spent_at)

    def left(self) -> float:
        """Seconds of it that are left."""
        return max(0.0, self._ends_at - self._now())

    def ask(self) -> None:
        """Before something is begun.

        Raises:
            TimeSpent: the time for the whole submission is over.
        """
        if self._now() >= self._spent_at:
            raise TimeSpent(f"the {self._whole_s:g} s for the whole submission were spent")
