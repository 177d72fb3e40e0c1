"""A page on a whole stack: what it passes, which mistakes are common, who is like whom, and links to the reports."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from grader.batch.alike import Group, groups
from grader.batch.row import Row
from grader.formats.html import page
from grader.formats.markup import Markup, joined, tag
from grader.submission.likeness import Sketch

MOST_NAMED = 8
"""The most submissions that are linked beside a mistake."""
SAID_OF_LIKENESS = (
    "What everybody was given does not count, nor do comments, texts in triple quotes and layout. "
    "It says that the texts are alike, and not why."
)


class ReportFolder(NamedTuple):
    """Where a submission's reports lie, below the page."""

    submission: str
    folder: str

    @property
    def link(self) -> Markup:
        """A link to the submission's page."""
        return tag("a", self.submission, href=f"{quote(self.folder)}/report.html")


def render(
    rows: Sequence[Row],
    left_out: Mapping[str, Sequence[str]],
    places: Mapping[str, str],
    solutions: Mapping[str, Sketch],
) -> bytes:
    """Return the page as HTML.

    Args:
        rows: the rows of the submissions, in order.
        left_out: the names that were not graded, by the reason.
        places: the folder of each submission's reports.
        solutions: sketches of our solutions, by the kata.
    """
    linked = {row.submission: ReportFolder(row.submission, places[row.submission]).link for row in rows}
    katas = list(dict.fromkeys(row.kata for row in rows if row.is_graded))
    whole = joined(
        tag("h1", f"{len(rows)} submissions"),
        *(_tiers(kata, [row for row in rows if row.is_graded and row.kata == kata]) for kata in katas),
        _mistakes(rows, linked),
        _alike(groups(rows, solutions), linked),
        _all(rows, linked),
        *(joined(tag("h2", why.capitalize()), _list(names)) for why, names in left_out.items()),
    )
    return page(f"{len(rows)} submissions", whole)


def _tiers(kata: str, rows: Sequence[Row]) -> Markup:
    """How many pass each tier of a kata."""
    names = dict.fromkeys(tier.name for row in rows for tier in row.tiers)
    lines = [_table_row("th", "tier", "passed by", "", "mean points")]
    for name in names:
        tiers = [tier for row in rows for tier in row.tiers if tier.name == name]
        passed, mean = sum(tier.passed for tier in tiers), sum(tier.points for tier in tiers) / len(tiers)
        bar = tag("meter", f"{passed} of {len(tiers)}", value=passed, max=len(tiers))
        lines.append(_table_row("td", name, f"{passed} of {len(tiers)}", bar, f"{mean:.1f} of {tiers[0].max_points}"))
    mean = sum(row.score for row in rows) / len(rows)
    full = sum(row.score == row.max_score for row in rows)
    said = f"{len(rows)} graded, mean score {mean:.0f}, {full} with all points"
    return joined(tag("h2", kata), tag("p", said), tag("table", *lines), _scores(rows))


def _scores(rows: Sequence[Row]) -> Markup:
    """How many have a score of 0 to 9, 10 to 19 and so on."""
    counts = [0] * 11
    for row in rows:
        counts[min(10, 10 * row.score // row.max_score)] += 1
    head = [tag("th", f"{10 * place}" if place == 10 else f"{10 * place} to {10 * place + 9}") for place in range(11)]
    cells = [tag("td", str(count) if count else "") for count in counts]
    first = (tag("th", "score"), tag("th", "submissions"))
    return tag("table", tag("tr", first[0], *head), tag("tr", first[1], *cells))


def _mistakes(rows: Sequence[Row], linked: Mapping[str, Markup]) -> Markup | None:
    """The mistakes that are proven, and what fails first where none is, the commonest first."""
    rows_by_mistake: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for sentence in row.mistakes or ([row.reason] if row.is_graded and row.reason else []):
            rows_by_mistake[sentence].append(row.submission)
    if not rows_by_mistake:
        return None
    proven = {mistake for row in rows for mistake in row.mistakes}
    lines = [_table_row("th", "in", "mistake, or what fails first where none is proven", "submissions")]
    for sentence, names in sorted(rows_by_mistake.items(), key=lambda each: (-len(each[1]), each[0])):
        what = tag("b", sentence) if sentence in proven else sentence
        lines.append(_table_row("td", str(len(names)), what, _links(names, linked)))
    return joined(tag("h2", "Commonest mistakes"), tag("table", *lines))


def _links(names: Sequence[str], linked: Mapping[str, Markup]) -> Markup:
    parts = [part for name in names[:MOST_NAMED] for part in (linked[name], ", ")][:-1]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else None
    return joined(*parts, more)


def _alike(groups: Sequence[Group], linked: Mapping[str, Markup]) -> Markup | None:
    if not groups:
        return None
    items = []
    for group in groups:
        how = group.how if group.solution is None else f"{group.how} as our solution of {group.solution}"
        items.append(joined(f"{how}: ", *_commas([linked[name] for name in group.submissions])))
    return joined(tag("h2", "Alike"), tag("p", SAID_OF_LIKENESS), _list(items))


def _commas(parts: Sequence[Markup]) -> list[str]:
    return [each for part in parts for each in (part, ", ")][:-1]


def _all(rows: Sequence[Row], linked: Mapping[str, Markup]) -> Markup:
    lines = [_table_row("th", "submission", "kata", "score", "what fails first")]
    for row in rows:
        score = f"{row.score} of {row.max_score}" if row.is_graded else str(row.outcome)
        lines.append(_table_row("td", linked[row.submission], row.kata, score, row.reason))
    return joined(tag("h2", "All"), tag("table", *lines))


def _list(items: Sequence[str]) -> Markup:
    return tag("ul", *(tag("li", item) for item in items))


def _table_row(cell: str, *values: str) -> Markup:
    return tag("tr", *(tag(cell, value) for value in values))
