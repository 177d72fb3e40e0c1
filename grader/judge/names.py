"""What a submission must define, held against what it does define."""

from typing import Any

from grader.records import Contract, Needed, Submission
from grader.submission import nearest, signature_problem


def missing_or_wrong(contract: Contract, found: dict[str, Any], submission: Submission, notes: list[str]) -> str | None:
    """The first name that is missing, of another kind or of another signature, as a sentence; None: all is there."""
    for needed in contract.needed:
        if needed.name not in found["found"]:
            return _missing(needed, found["defined"], submission, notes)
        got = found["found"][needed.name]
        if got["kind"] != needed.kind:
            return f"{needed.name} is a {got['type']}; the kata needs a {needed.kind} of that name."
        if needed.signature is not None and got["signature"] is not None:
            wrong = signature_problem(needed, got["signature"])
            if wrong:
                return wrong
    return None


def _missing(needed: Needed, defined: list[str], submission: Submission, notes: list[str]) -> str:
    sentence = f"{submission.path.name} defines no {needed.kind} {needed.name}."
    close = nearest(needed.name, [name for name in defined if ("." in name) is ("." in needed.name)])
    if close:
        sentence += f" The nearest name that it defines is {close}: rename it to {needed.name}."
    if notes:
        sentence += f" Before that, {notes[0]}."
    return sentence
