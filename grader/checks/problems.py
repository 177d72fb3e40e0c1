"""What can keep a submission from answering a call, besides a claim that does not hold; each becomes a verdict."""

from grader.checks.expect import Mismatch, Problem


class Todo(Problem):
    """The submission says that a part is not written yet."""


class PolicyUsed(Problem):
    """The submission called what the kata forbids."""


class OutOfMemory(Problem):
    """The submission asked for more memory than it may have."""


class TimeSpent(Problem):
    """The time for the whole submission was spent, or a callable ran out of time too often, before this call."""


class Missing(Mismatch):
    """The submission has no function or method of a name that the contract asks for."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "a function or method of that name", "none of that name")
