"""A submission's code for a page: numbered lines, and below each line what the findings say of it."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from grader.formats.markup import Markup, joined, tag
from grader.records import Cell, CheckResult, Report, Verdict

MOST_LINES, MOST_CHARACTERS = 3000, 200_000
"""The most lines of a submission, and the most characters of one cell, that a page shows."""
PLACE = re.compile(r"(?:^|\(called from |\(|, )(?P<file>[^\n:]{1,300}):(?P<line>\d{1,9}) in ")
WORDS = (
    "and as assert async await break case class continue def del elif else except finally for from global if import in "
    "is lambda match nonlocal not or pass raise return try while with yield None True False"
).split()
TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)"
    r"|(?P<string>[rbfuRBFU]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?))"
    rf"|(?P<word>\b(?:{'|'.join(WORDS)})\b)|(?P<other>\w+|\s+|.)",
    re.DOTALL,
)


class Mark(NamedTuple):
    """What was found in a line."""

    words: str
    is_where: bool
    """Whether the finding is about this line itself; False: the line only called the one that raised."""


def code(report: Report, prefix: str) -> Markup | None:
    """The cells with numbered lines; None: the report has no source.

    Args:
        report: with its source.
        prefix: of the lines' ids in this page.
    """
    if not report.source:
        return None
    marks, left = marked(report), MOST_LINES
    parts = list[Markup]()
    for cell in report.source:
        lines = _coloured(cell.source[:MOST_CHARACTERS])
        parts += [tag("h4", cell.name)] if cell.name else []
        parts.append(tag("ol", *_lines(lines[:left], marks, cell, prefix), class_="kr-code"))
        left -= len(lines)
        if left < 0:
            parts.append(tag("p", "The rest of the code is not shown.", class_="kr-dim"))
            break
    return joined(*parts)


def line_of(where: str, report: Report) -> str | None:
    """The id, without a page's prefix, of the line that a `where` names first; None: it is not in the submission.

    Args:
        where: the `where` of a check.
        report: the report that the check is in.
    """
    match, numbers = PLACE.match(where), _numbers(report)
    if match is None or match["file"] not in numbers:
        return None
    return _line_id(numbers[match["file"]], int(match["line"]))


def line_of_called(name: str, report: Report) -> str | None:
    """The id, without a page's prefix, of the line where a function is defined; None: none or several have the name.

    Args:
        name: the name of the function or class that was called.
        report: the report with the source.
    """
    place = _definition(name, report)
    return None if place is None else _line_id(*place)


def marked(report: Report) -> dict[tuple[int | None, int], list[Mark]]:
    """The marks of each line, by cell and line number.

    Each line of a traceback is marked, and only the one that raised is shown with words. Wrong values have no line: the
    definition of what was called is marked.
    """
    numbers, marks = _numbers(report), dict[tuple[int | None, int], list[Mark]]()
    for words, where in _findings(report):
        for number, match in enumerate(PLACE.finditer(where[:2000])):
            if match["file"] not in numbers:
                continue
            mark = Mark(words, is_where=number == 0)
            lines = marks.setdefault((numbers[match["file"]], int(match["line"])), [])
            if mark not in lines:
                lines.append(mark)
    for name, words in _wrong_calls(report).items():
        if place := _definition(name, report):
            marks.setdefault(place, []).append(Mark(words, is_where=True))
    return marks


def _wrong_calls(report: Report) -> dict[str, str]:
    """For each name that was called, how many checks failed on what it returned, and their mistake if there is one."""
    failed = defaultdict[str, list[CheckResult]](list)
    for check in (check for tier in report.tiers for check in tier.checks):
        if check.verdict is Verdict.FAIL and check.called:
            failed[check.called].append(check)
    words = {}
    for name, checks in failed.items():
        named = {check.mistake for check in checks} - {None}
        mistake = f": {named.pop()}" if len(named) == 1 else ""
        words[name] = f"{len(checks)} check{'s' if len(checks) > 1 else ''} failed in calls of this{mistake}"
    return words


def _definition(name: str, report: Report) -> tuple[int | None, int] | None:
    """Cell and line of the function or class of that name; None: there is none, or there are several."""
    pattern = re.compile(rf"^[ \t]*(?:async +)?(?:def|class) +{re.escape(name)}\b", re.MULTILINE)
    matches = [(cell, match) for cell in report.source for match in pattern.finditer(cell.source[:MOST_CHARACTERS])]
    if len(matches) != 1:
        return None
    ((cell, match),) = matches
    return cell.number, cell.source.count("\n", 0, match.start()) + 1


def _findings(report: Report) -> Iterator[tuple[str, str]]:
    """What was found and where, for each check that did not pass and each message or note that names a place."""
    for tier in report.tiers:
        for check in tier.checks:
            if check.where and check.verdict is not Verdict.PASS:
                yield check.got or check.verdict, check.where
    for note in (report.message or "", *report.notes):
        if place := re.search(r" \((?=[^\n:()]{1,300}:\d{1,9} in )", note):
            yield note[: place.start()], note[place.end() :]


def _numbers(report: Report) -> dict[str, int | None]:
    """The number of each cell, by the name that a traceback gives it; None for a `.py` file."""
    file = PurePath(report.submission).name
    return {cell.name or file: cell.number for cell in report.source}


def _lines(
    lines: Sequence[Markup], marks: dict[tuple[int | None, int], list[Mark]], cell: Cell, prefix: str
) -> Iterator[Markup]:
    for number, line in enumerate(lines, start=1):
        of_line = marks.get((cell.number, number), [])
        said = list(dict.fromkeys(mark.words for mark in of_line if mark.is_where))
        style = "kr-where" if said else "kr-called" if of_line else None
        more = f" (and {len(said) - 1} more like it)" if len(said) > 1 else None
        words = joined(said[0], more) if said else "called from here" if of_line else None
        place = f"{prefix}{_line_id(cell.number, number)}" if of_line else None
        yield tag("li", tag("code", line or Markup(" ")), tag("p", words) if words else None, class_=style, id=place)


def _line_id(cell: int | None, line: int) -> str:
    """The id of a line in its page, without the page's prefix."""
    return f"line-{line}" if cell is None else f"cell-{cell}-line-{line}"


def _coloured(source: str) -> list[Markup]:
    """The lines, with comments, strings and keywords in spans. Invalid Python is coloured as far as possible."""
    lines = [list[Markup]()]
    for token in TOKEN.finditer(source.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")):
        style = None if token.lastgroup == "other" else f"kr-{token.lastgroup}"
        first, *others = token[0].split("\n")
        lines[-1].append(_span(first, style))
        lines += [[_span(other, style)] for other in others]
    return [joined(*line) for line in lines]


def _span(text: str, style: str | None) -> Markup:
    return tag("span", text, class_=style) if style and text else joined(text)
