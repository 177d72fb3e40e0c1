"""How a wrong answer is worded: records, which text lays out and JUnit joins."""

from typing import NamedTuple

from grader.records import CheckResult


class Worded(NamedTuple):
    """One thing that is said of a check."""

    label: str
    """`expected  `, or empty; the text's further lines stand below its first one."""
    text: str
    style: str = ""


def wording(check: CheckResult) -> list[Worded]:
    """What a check is told with below its claim: what, expected, got, where, inputs, likely mistake."""
    labelled = (
        ("", check.what),
        ("expected  ", check.expected),
        ("got       ", check.got),
        ("where     ", check.where),
        ("inputs    ", check.inputs),
    )
    worded = [Worded(label, text) for label, text in labelled if text]
    if check.mistake:
        likely = "likely mistakes" if len(check.reasons) > 1 else "likely mistake"
        worded.append(Worded("", f"{likely}: {check.mistake}", "yellow"))
    return worded


def explained(check: CheckResult) -> list[Worded]:
    """Why, for each mistake named, and each place to read on."""
    sections = dict.fromkeys(reason.section for reason in check.reasons)
    return [
        *(Worded("", f"why: {reason.why}") for reason in check.reasons),
        *(Worded("", f"read: {section}") for section in sections),
    ]
