"""`grade`: print the reports on a submission, a folder of them, or the exercises, and write the files asked for."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.cli.command import grade_command
from grader.core import Advice, Event, Intake, Report, Status, SubmissionBegan, status
from grader.formats.clean import in_one_line
from grader.formats.files import check_reports, write_reports
from grader.formats.lines import printing, show, width_for
from grader.formats.page import Page, render_page
from grader.optional import is_there
from grader.options import add_options as add_request_options
from grader.options import files_of, not_negative, request_of, settings_of
from grader.records import CheckBegan, GraderError, NamingBegan

HELP = "grade a submission, a folder of them, or the exercises"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    takes = ".py, .ipynb, .zip or folder" if is_there("grader.submission.archive") else ".py, .ipynb or folder"
    parser.add_argument("submission", nargs="?", type=_path, help=f"{takes}; left out: exercises/")
    parser.add_argument("--kata", metavar="NAME", help="left out: taken from the submission")
    parser.add_argument("--fail-under", metavar="POINTS", type=not_negative, help="left out: all points")
    add_request_options(parser)


def run(options: argparse.Namespace) -> int:
    """Grade what the options name.

    Returns:
        The exit status.

    Raises:
        GraderError: wrong use, such as an unknown kata or no such file.
        KeyboardInterrupt: Ctrl-C before anything was graded; later what was graded is printed and written.
    """
    files = files_of(options)
    check_reports(list(files.values()))
    reports: list[Report] = []
    intake, advice = Intake((), 0, many=False, by_kata=False), Advice()
    try:
        with settings_of(options).grader() as grader:
            for event in _shown(grader.grade(request_of(options, options.submission))):
                match event:
                    case Intake():
                        intake = event
                    case Report():
                        reports.append(event)
                    case Advice():
                        advice = event
    except KeyboardInterrupt:
        if not reports:
            raise  # the first ones may have taken an hour
    problems = write_reports(reports, files, many=intake.many)
    page = _page(options, intake, advice, graded=len(reports))
    try:
        with printing(sys.stdout):
            show(render_page(reports, page), sys.stdout)
    except GraderError as error:
        problems.append(str(error))
    if problems:
        raise GraderError("\n".join(problems))
    return Status.INTERRUPTED if page.left else status(reports, options.fail_under)


def _page(options: argparse.Namespace, intake: Intake, advice: Advice, graded: int) -> Page:
    return Page(
        seed=intake.seed,
        many=intake.many,
        by_kata=intake.by_kata,
        unread=intake.unread,
        left=intake.submissions[graded:],
        command=grade_command(advice.next_run) if advice.next_run else None,
        begin=advice.begin,
        reveal=options.reveal,
        explain=options.explain,
        width=width_for(sys.stdout),
    )


def _shown(events: Iterator[Event]) -> Iterator[Event]:
    """Pass the events on, and show on a terminal what is done now, in one line that is overwritten."""
    began = ""
    for event in events:
        match event:
            case SubmissionBegan(submission, number, total):
                began = f"grading {number} of {total}: {submission}" if total > 1 else f"grading {submission}"
                _progress(began)
            case CheckBegan():
                _progress(f"{began}: {event.tier}")
            case NamingBegan(failed):
                _progress(f"{began}: checks that failed: {failed}, naming why")
            case Report():
                _progress("")
        yield event


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K" + in_one_line(text)[:100])
        sys.stderr.flush()


def _path(text: str) -> Path:
    if not text.strip():  # Path("") is the current folder
        raise argparse.ArgumentTypeError("the path is empty: name a file or a folder, or leave it out for exercises/")
    return Path(text)
