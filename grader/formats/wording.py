"""How a wrong answer is worded, as records that the text report lays out and the JUnit report joins."""

from typing import NamedTuple

from grader.records import CheckResult


class Wording(NamedTuple):
    """One thing that is said of a check."""

    label: str
    """Such as `expected  `, or empty; further lines of the text begin below its first one."""
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
    """Why each named mistake is one, and each place to read on."""
    sections = dict.fromkeys(reason.section for reason in check.reasons)
    return [
        *(Wording("", f"why: {reason.why}") for reason in check.reasons),
        *(Wording("", f"read: {section}") for section in sections),
    ]
