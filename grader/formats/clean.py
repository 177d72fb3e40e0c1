"""Text that comes from a submission may hold anything; a terminal or an XML parser must not act on it."""

import re
import unicodedata
from dataclasses import replace

from grader.records import CheckResult, Report, TierResult

ESCAPE_SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)", re.DOTALL)
HARMLESS = re.compile(r"[\n -~]*")
"""Matches text that needs no cleaning. Most text does not, and so is not looked at character by character."""
REMOVED = frozenset({"Cc", "Cf", "Cs", "Cn"})
"""Unicode categories: control, format (bidirectional marks, zero width), surrogates, unassigned."""
SEPARATORS = frozenset({"Zl", "Zp"})
MOST_CHARACTERS = 10_000
"""The most characters that are kept of one text from a submission: its worker may send a megabyte in each check."""


def clean(text: str) -> str:
    """The text without control characters, escape sequences and bidirectional marks; line ends stay.

    Whatever a file's name, an exception's message or a printed line holds, what is left can only be read.
    """
    if HARMLESS.fullmatch(text):
        return text
    text = ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n").replace("\t", "    "))
    return "".join(_plain(character) for character in text)


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text, cut off where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[:most]} ..."


def in_one_line(text: str) -> str:
    """The text cleaned and in one line, so that no part of a name can look like a line of the report."""
    return clean(text).replace("\n", " ")


def spelled_out(name: str) -> str:
    """A file's name in one line, with escapes for what `clean` changes: it must not look like another name."""
    return "".join(sign if " " <= _plain(sign) == sign else sign.encode("unicode_escape").decode() for sign in name)


def cleaned(report: Report) -> Report:
    """The report with every text in it cleaned."""
    return replace(
        report,
        kata=in_one_line(report.kata),  # a kit that was handed back may hold any text here
        submission=spelled_out(report.submission),
        message=_maybe(report.message),
        parts_at=_maybe(report.parts_at),
        fails_when=_maybe(report.fails_when),
        notes=tuple(clean(note) for note in report.notes),
        remarks=tuple(in_one_line(remark) for remark in report.remarks),
        worth_reading=_maybe(report.worth_reading),
        output=clean(report.output),
        tiers=tuple(_tier(tier) for tier in report.tiers),
    )


def _plain(character: str) -> str:
    if character == "\n" or " " <= character <= "~":
        return character
    category = unicodedata.category(character)
    if category in SEPARATORS:
        return " "
    return "" if category in REMOVED else character


def _maybe(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _tier(tier: TierResult) -> TierResult:
    return replace(tier, checks=tuple(_check(check) for check in tier.checks))


def _check(check: CheckResult) -> CheckResult:
    return replace(
        check,
        claim=clean(check.claim),
        what=_maybe(check.what),
        expected=_maybe(check.expected),
        got=_maybe(check.got),
        mistakes=tuple(map(clean, check.mistakes)),
        where=_maybe(check.where),
        inputs=_maybe(check.inputs),
        called=_maybe(check.called),
    )
