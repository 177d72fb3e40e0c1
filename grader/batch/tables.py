"""Writes the files on a stack as a whole: scores.csv, junit.xml, index.html."""

import csv
import io
from collections.abc import Mapping, Sequence

from grader.batch.folder import JUNIT, OVERVIEW, SCORES, OutFolder
from grader.batch.ours import solutions
from grader.batch.overview import render
from grader.batch.row import Row
from grader.formats import junit
from grader.formats.files import write_parts, write_whole

COLUMNS = ("submission", "kata", "score", "max_score", "outcome", "reason", "seconds", "seed", "sha256")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet runs as a formula."""


def write_tables(folder: OutFolder, rows: Sequence[Row], left_out: Mapping[str, Sequence[str]]) -> None:
    """Writes all three files.

    Args:
        folder: where they are put.
        rows: the rows of the submissions.
        left_out: the names that were not graded, by the reason.

    Raises:
        GraderError: a file cannot be written.
    """
    rows = sorted(rows, key=lambda row: row.submission)
    write_whole(folder.path / SCORES, scores(rows).encode())
    write_parts(folder.path / JUNIT, junit.parts(folder.reports(rows)))
    places = {row.submission: folder.place(row).relative_to(folder.path).as_posix() for row in rows}
    write_whole(folder.path / OVERVIEW, render(rows, left_out, places, solutions({row.kata for row in rows})))


def scores(rows: Sequence[Row]) -> str:
    """Return a CSV table: a line for each submission, with the points of each tier that any of them has."""
    tiers = list(dict.fromkeys(tier.name for row in rows for tier in row.tiers))
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow([*COLUMNS, *tiers])
    for row in rows:
        points = {tier.name: tier.points for tier in row.tiers}
        cells = [row.submission, row.kata, row.score, row.max_score, row.outcome, row.reason, row.duration_s]
        table.writerow(map(_cell, [*cells, row.seed, row.sha256, *(points.get(tier, "") for tier in tiers)]))
    return written.getvalue()


def _cell(value: object) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
