"""What can keep a submission from answering a call, besides a claim that does not hold; each becomes a verdict."""

from grader.checks.expect import Mismatch, Problem
from grader.records import Verdict


class Todo(Problem):
    """The submission says that a part is not written yet."""


class PolicyUsed(Problem):
    """The submission called what the kata forbids, or is made of it; the message says which of the two.

    Args:
        used: what was called.
        expected: what the kata asks for.
    """

    def __init__(self, used: str, expected: str) -> None:
        super().__init__(used)
        self.expected = expected


class OutOfMemory(Problem):
    """The submission asked for more memory than it may have."""


class TimeSpent(Problem):
    """A call was not tried: the time for the whole submission was spent, or a callable ended the worker too often.

    Args:
        reason: why it was not tried.
        verdict: of the check.
    """

    def __init__(self, reason: str, verdict: Verdict = Verdict.TIMEOUT) -> None:
        super().__init__(reason)
        self.verdict = verdict


class MissingName(Mismatch):
    """The submission has no function or method of a name that the contract asks for."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "a function or method of that name", "no such function or method")
