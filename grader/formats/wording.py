"""How a wrong answer is worded: records, which text lays out and JUnit joins."""

from typing import NamedTuple

from grader.records import CheckResult


class Wording(NamedTuple):
    """One thing that is said of a check."""

    label: str
    """`expected  `, or empty; the text's further lines stand below its first one."""
    text: str
    style: str = ""


def wording(check: CheckResult) -> list[Wording]:
    """What stands below a check's claim: what, expected, got, where, inputs, likely mistake."""
    labelled = (
        ("", check.what),
        ("expected  ", check.expected),
        ("got       ", check.got),
        ("where     ", check.where),
        ("inputs    ", check.inputs),
    )
    worded = [Wording(label, text) for label, text in labelled if text]
    if check.mistakes:
        likely = "likely mistakes" if len(check.mistakes) > 1 else "likely mistake"
        worded.append(Wording("", f"{likely}: {'; and '.join(check.mistakes)}", "yellow"))
    return worded


def explained(check: CheckResult) -> list[Wording]:
    """Why, for each mistake named, and each place to read on."""
    sections = dict.fromkeys(reason.section for reason in check.reasons)
    return [
        *(Wording("", f"why: {reason.why}") for reason in check.reasons),
        *(Wording("", f"read: {section}") for section in sections),
    ]
