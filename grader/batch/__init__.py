"""`grade-all`: grades a stack into a folder, and goes on where it was stopped."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from grader.batch.folder import OutFolder
from grader.batch.ours import read_given
from grader.batch.pace import Pace
from grader.batch.row import Row, row_of
from grader.batch.tables import write_tables
from grader.core import Intake, Report, Request, Status, seeds
from grader.core.serve import Settings
from grader.formats.clean import clean, in_one_line
from grader.formats.lines import complain, say
from grader.options import add_options as add_request_options
from grader.options import not_negative, request_of, settings_of
from grader.records import GraderError, Outcome
from grader.submission.likeness import sketch
from grader.submission.paths import is_folder

HELP = "grade a stack into a folder: a report for each, tables, and a page on all"
MANY = 200
"""To compare more submissions with one another takes seconds."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("stack", type=str, help="a folder or .zip file of submissions")
    parser.add_argument("--out", metavar="FOLDER", required=True, help="what is there is gone on with")
    parser.add_argument("--kata", metavar="NAME", help="left out: taken from each submission")
    parser.add_argument("--fail-under", metavar="POINTS", type=not_negative, help="left out: all points")
    add_request_options(parser, files=False)


def run(options: argparse.Namespace) -> int:
    """Grade the stack.

    Returns:
        The exit status.

    Raises:
        GraderError: wrong use, such as no such folder; or the output folder cannot be written to.
    """
    if not options.stack.strip() or not options.out.strip():
        raise GraderError("Name the stack and where its reports go: make grade-all DIR=submissions OUT=graded.")
    stack = Path(os.path.expanduser(options.stack))
    if not is_folder(stack) and stack.suffix.lower() != ".zip":
        raise GraderError(f"{stack} is no folder and no .zip file of submissions: make grade is for one of them.")
    folder = OutFolder(Path(os.path.expanduser(options.out)))
    seed = options.seed if options.seed is not None else folder.seed if folder.seed is not None else seeds.draw_seed()
    request = replace(request_of(options, stack), seed=seed, as_they_end=True)
    rows: list[Row] = []
    try:
        left_out = _grade(request, settings_of(options), folder, rows)
    except KeyboardInterrupt:
        write_tables(folder, rows, {})
        say(f"{len(rows)} graded, then interrupted: the same command goes on from there\n")
        return Status.INTERRUPTED
    if len(rows) > MANY:
        complain("comparing the submissions with one another ...\n")
    write_tables(folder, rows, left_out)
    say(_summary(folder, rows, left_out))
    return _status(rows, options.fail_under)


def _grade(request: Request, settings: Settings, folder: OutFolder, rows: list[Row]) -> dict[str, Sequence[str]]:
    """Grades the submissions that have no report yet.

    Args:
        request: the request for the stack.
        settings: how the grader is set up.
        folder: where reports are put.
        rows: is given a row for each submission.

    Returns:
        The names that were left out, by the reason.
    """
    stack, pace = request.path or Path(), Pace(sys.stderr, 0)
    top = stack
    left_out: dict[str, Sequence[str]] = {}
    complain(f"reading {in_one_line(str(stack))} ...\n")
    with settings.grader() as grader:
        for event in grader.grade(request, known=folder.read_reports(stack)):
            if isinstance(event, Intake):
                top = _top(stack, event.submissions)
                folder.begin(event.seed, top.relative_to(stack).as_posix())
                pace = Pace(sys.stderr, len(event.submissions))
                left_out = _left_out(stack, top, event)
            elif isinstance(event, Report):
                message = event.message and event.message.replace(f"{top}/", "")
                report = replace(event, submission=_below(top, event.submission), message=message)
                row, known = _kept(folder, report)
                rows.append(row)
                pace.next(row.submission, None if known else row.duration_s)
    pace.close()
    return left_out


def _left_out(stack: Path, top: Path, intake: Intake) -> dict[str, Sequence[str]]:
    paths = {
        "left out, beside a submission": [Path(path) for path in intake.aside],
        "not read, no .py or .ipynb file in it": [stack / name for name in intake.unread],
    }
    return {
        why: [str(path.relative_to(top if path.is_relative_to(top) else stack)) for path in those]
        for why, those in paths.items()
        if those
    }


def _kept(folder: OutFolder, report: Report) -> tuple[Row, bool]:
    """Return the row of a report, and whether the folder had it before; if not, the report is put there."""
    key = (report.submission, report.sha256, report.seed, report.digest)
    if report.digest and key in folder.rows:
        return folder.rows[key], True
    row = row_of(report, sketch(report.source, read_given(report.kata)) if report.source else None)
    folder.put(report, row)
    return row, False


def _top(stack: Path, paths: Sequence[str]) -> Path:
    """Return the folder below which all submissions lie, each in a folder of its own; else the stack's own path.

    Where one lies in that folder itself, its name may say whose they are; and so it may where there is but one.
    """
    folders = [Path(path).relative_to(stack).parent.parts for path in paths]
    shared = takewhile(lambda names: len({*names}) == 1, zip(*folders, strict=False))
    common = tuple(names[0] for names in shared)
    return stack.joinpath(*common[:-1] if common in folders else common)


def _below(top: Path, path: str) -> str:
    return Path(path).relative_to(top).as_posix()


def _summary(folder: OutFolder, rows: list[Row], left_out: Mapping[str, Sequence[str]]) -> str:
    graded = [row for row in rows if row.is_graded]
    full = sum(row.score == row.max_score for row in graded)
    missing = len(rows) - len(graded)
    missed, of = (f", {missing} could not be graded", " of the others") if missing else ("", "")
    mean = f"; mean score{of} {sum(row.score for row in graded) / len(graded):.0f}" if graded else ""
    lines = [f"{len(rows)} submissions: {full} with all points{missed}{mean}"]
    lines += [f"{why}: {', '.join(names)}" for why, names in left_out.items()]
    lines.append(f"see {folder.path / 'index.html'}, scores.csv, junit.xml; reports are in reports/")
    return "".join(f"{clean(line)}\n" for line in lines)


def _status(rows: list[Row], fail_under: int | None) -> Status:
    if any(row.outcome is Outcome.BROKEN for row in rows):
        return Status.BROKEN
    wanted = (row.max_score if fail_under is None else fail_under for row in rows)
    reached = all(row.is_graded and row.score >= points for row, points in zip(rows, wanted, strict=True))
    return Status.REACHED if reached else Status.BELOW
