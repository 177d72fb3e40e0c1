"""What a submission must define, held against what it does define."""

from grader.judge.replies import Found, Loaded, Names
from grader.records import Contract, Needed, Submission
from grader.submission import nearest, signature_problem
from grader.submission.definitions import defined

IN_ITS_SOURCE = (
    ' Its source has one that was not run or is gone: what stands below `if __name__ == "__main__":` is not run, '
    "move it out of there."
)


def missing_or_wrong(contract: Contract, loaded: Loaded, submission: Submission, notes: list[str]) -> str | None:
    """The first name that is missing, of another kind or of another signature, as a sentence; None: all is there.

    Args:
        contract: what must be there.
        loaded: what is there.
        submission: it is named in the sentence.
        notes: what was raised while it loaded.
    """
    for needed in contract.needed:
        if needed.name in loaded.asked.raised:
            said = f"{needed.name} of {submission.path.name} {loaded.asked.raised[needed.name]}"
            return f"{said} when it was looked up: make it a plain {needed.kind}."
        got = loaded.asked.found.get(needed.name)
        if got is None:
            return _missing(needed, loaded.own, submission, notes)
        if got.kind != needed.kind:
            return f"{needed.name} is {_described(got)}; the kata needs a {needed.kind} of that name."
        if got.signature is not None and (wrong := signature_problem(needed, got.signature)):
            return wrong
    return None


def _described(got: Found) -> str:
    """`a class`, `a function`, `of type int`."""
    if got.kind == "class":
        return "a class"
    return "a function" if got.type == "function" else f"of type {got.type}"


def _missing(needed: Needed, own: Names, submission: Submission, notes: list[str]) -> str:
    sentence = f"{submission.path.name} defines no {needed.kind} {needed.name}."
    close = nearest(needed.name, [name for name, each in own.found.items() if each.kind == needed.kind])
    if needed.name in defined(submission):  # at its top or in a block there
        sentence += "" if notes else IN_ITS_SOURCE  # what was raised is the cause
    elif close:
        sentence += f" The nearest name that it defines is {close}: rename it to {needed.name}."
    if notes:
        sentence += f" Before that, {notes[0]}."
    return sentence
