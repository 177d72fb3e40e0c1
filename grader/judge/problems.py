"""What can go wrong in a check besides a claim that does not hold; each becomes a verdict."""

from collections.abc import Sequence
from typing import Any

from grader.checks.expect import Mismatch, Refused


class Todo(Exception):
    """The submission says that a part is not written yet."""


class PolicyUsed(Exception):
    """The submission called what the katas forbid."""


class OutOfMemory(Exception):
    """The submission asked for more memory than it may have."""


class TimeSpent(Exception):
    """The time for the whole submission was spent before this check began."""


class Missing(Mismatch):
    """The submission has no function or method of a name that the contract asks for."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "a function or method of that name", "none of that name")


def problem(error: dict[str, Any]) -> Exception:
    """The exception to raise in the judge for one that the worker reports."""
    if error["type"] == "missing":
        return Missing(str(error["path"]))
    if error["type"] == "unsendable":
        return Mismatch("what is returned", "no more than the contract asks for", str(error["message"]))
    bases = tuple(str(base) for base in error["bases"])
    message, frames = str(error["message"]), error["frames"]
    if "NotImplementedError" in bases and frames and frames[-1]["text"].startswith("raise NotImplementedError"):
        return Todo(message)
    if error["memory"]:
        return OutOfMemory(message)
    return Refused(str(error["type"]), bases, message, where(frames))


def where(frames: Sequence[dict[str, Any]]) -> str | None:
    """The innermost frame of the submission, then who called it."""
    if not frames:
        return None
    places = [f"{frame['file']}:{frame['line']} in {frame['function']}" for frame in reversed(frames)]
    called = f"  (called from {', '.join(places[1:4])})" if len(places) > 1 else ""
    return f"{places[0]}: {frames[-1]['text']}{called}"


PROBLEMS = (Todo, PolicyUsed, OutOfMemory, TimeSpent, Refused)
