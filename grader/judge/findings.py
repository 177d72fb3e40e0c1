"""Turns what went wrong in a check into a verdict and the words of a report."""

import re
import sys
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from grader.checks.expect import Mismatch, Refusal
from grader.checks.problems import MissingName, OutOfMemory, PolicyUsed, TimeSpent, Todo
from grader.formats.clean import shortened
from grader.judge.evidence import evidence
from grader.records import Evidence, Verdict
from grader.sandbox import WorkerLost

EXPLAINED = (Verdict.FAIL, Verdict.ERROR)
"""Verdicts that a mistake explains."""
MOST_NOTES = 50
REFUSED = ("Operation not permitted", "No usable temporary directory", "Unable to open /dev/urandom")
"""What torch.save, tempfile and torch.seed say when access is refused; their exceptions are no PermissionError."""
DENIED = ("PermissionError", "AccessDenied")
"""Exception classes that say that access is refused: Python's own, and psutil's."""


def problem(
    head: dict[str, Any],
    name: str,
    memory_mib: int,
    beside: Collection[str] = (),
    allow: Collection[str] = (),
) -> Exception | None:
    """The exception to raise in the judge for what the head of a reply reports.

    Args:
        head: the head of the reply.
        name: the judge's name for what was to be called; a report uses it, and no other, if that is missing.
        memory_mib: the memory that was allowed, in MiB.
        beside: modules that lie beside the submission.
        allow: what the operator policy lets pass.
    """
    if head.get("policy"):
        expected = "attention from scratch" + (", or by F.scaled_dot_product_attention" if "sdpa" in allow else "")
        return PolicyUsed(f"use of {', '.join(head['policy'])}", expected)
    error = head.get("error")
    if not error:
        return None
    if error["type"] == "missing":
        return MissingName(name)
    if error["type"] == "unsendable":
        return Mismatch("what is returned", "no more than the contract asks for", str(error["message"]))
    bases = tuple(str(base) for base in error["bases"])
    message, frames = str(error["message"]), error["frames"]
    if "NotImplementedError" in bases and frames and frames[-1]["text"].startswith("raise NotImplementedError"):
        return Todo(message)
    if error["memory"]:
        return OutOfMemory(_no_memory(message, memory_mib))
    return Refusal(str(error["type"]), bases, message + _needless(error, beside), where(frames))


def raised(error: dict[str, Any], place: str, memory_mib: int, beside: Collection[str] = ()) -> str:
    """What was raised outside of a check, and where: `raised ValueError: ... (cell 3)`.

    Args:
        error: the error in the reply.
        place: the place to name if no frame of the submission is known.
        memory_mib: the memory that was allowed, in MiB.
        beside: modules that lie beside the submission.
    """
    place = where(error["frames"]) or place
    message = str(error["message"]) + _needless(error, beside)
    text = _no_memory(message, memory_mib) if error["memory"] else message
    place_text = "" if f"({place}, line " in text else f" ({place})"  # a syntax error tells its own place
    return shortened(f"raised {error['type']}{text and ': '}{text}{place_text}")


def _no_memory(message: str, memory_mib: int) -> str:
    by_torch = re.search(r"tried to allocate (\d+) bytes", message)
    failed = f"an allocation of {int(by_torch[1]) >> 20} MiB failed" if by_torch else message or "an allocation failed"
    return f"{failed} ({memory_mib} MiB are allowed beyond PyTorch's own)"


class Note(NamedTuple):
    """A remark on a run, beside its verdicts."""

    text: str
    is_excused: bool = False
    """Whether it is about a cell that ran well in a kernel, or is no longer there.

    It is then shown only as the cause of a missing name.
    """


def first_notes(notes: Sequence[Note]) -> tuple[str, ...]:
    """The notes that are not excused, at most `MOST_NOTES` of them, and then how many more there are."""
    texts = [note.text for note in notes if not note.is_excused]
    more = len(texts) - MOST_NOTES
    return (*texts[:MOST_NOTES], f"and {more} more like these") if more > 0 else tuple(texts)


def _needless(error: dict[str, Any], beside: Collection[str]) -> str:
    """Return what to add to a message where the sandbox refused something that the kata does not need, else empty.

    An error names a package that is not installed without a dot. A module of a package, or of Python itself, may be
    installed and imported too late: inside the sandbox no file can be opened.
    """
    message = str(error["message"])
    if error["type"] == "ModuleNotFoundError" and message.startswith("No module named"):
        package = re.fullmatch(r"No module named '([^'.]+)'", message)
        if package and package[1] in beside:
            return "; it lies beside the submission, and one file alone is graded: move its code into that"
        if package and package[1] not in sys.stdlib_module_names:
            return "; it is not installed here: the kata needs PyTorch alone"
        return "; it could not be imported inside the sandbox: the kata needs PyTorch alone"
    if error["type"] == "ImportError" and message.startswith("attempted relative import"):
        return "; one file alone is graded: move the other one's code into it"
    if "can't start new thread" in message:
        return "; threads are refused here: the kata needs none"
    if any(name in error["bases"] for name in DENIED) or any(words in message for words in REFUSED):
        return "; files, network, processes and threads are refused here: the kata needs none"
    return ""


def where(frames: Sequence[dict[str, Any]]) -> str | None:
    """The innermost frame of the submission, then who called it."""
    if not frames:
        return None
    places = [f"{frame['file']}:{frame['line']} in {frame['function']}" for frame in reversed(frames)]
    called = f"  (called from {', '.join(places[1:4])})" if len(places) > 1 else ""
    return f"{places[0]}: {frames[-1]['text']}{called}"


class Finding(NamedTuple):
    """What a check found, in the fields of its result."""

    verdict: Verdict
    what: str | None = None
    expected: str | None = None
    got: str | None = None
    where: str | None = None
    inputs: str | None = None
    called: str | None = None
    evidence: Evidence | None = None


def finding(error: BaseException, doing: str) -> Finding:
    """The verdict on what a check raised; its texts are shortened.

    Args:
        error: a `Problem`, a `Mismatch` or `WorkerLost`; anything else is the grader's own fault.
        doing: what the submission was last asked to do.
    """
    verdict, *texts, shown = _finding(error, doing)
    return Finding(verdict, *(None if text is None else shortened(text) for text in texts), evidence=shown)


def _finding(error: BaseException, doing: str) -> Finding:
    match error:
        case Mismatch():
            shown = evidence(error.compared)
            inputs, called = doing or None, doing.partition("(")[0] or None
            return Finding(Verdict.FAIL, error.what, error.expected, error.got, None, inputs, called, shown)
        case WorkerLost():
            return Finding(error.verdict, doing, "an answer", error.sentence)
        case Todo():
            return Finding(Verdict.TODO, doing, got=str(error))
        case PolicyUsed():
            return Finding(Verdict.POLICY, doing, error.expected, str(error))
        case TimeSpent():
            return Finding(error.verdict, got=f"not tried: {error}")
        case OutOfMemory():
            return Finding(Verdict.MEMORY, doing, "an answer", f"out of memory: {error}")
        case Refusal():
            return Finding(Verdict.ERROR, doing, "an answer", f"raised {error}", error.where)
    return Finding(Verdict.BROKEN, got=f"{type(error).__name__}: {error}")
