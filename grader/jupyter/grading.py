"""One grading of what a kernel has run: the request, the line that shows its progress, and the report."""

import argparse
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from grader.core import (
    Advice,
    AnswerCells,
    CheckBegan,
    CheckEnded,
    Event,
    FailedCall,
    NamingBegan,
    NextRun,
    Report,
    Request,
)
from grader.core.judge_process import JudgeProcess
from grader.core.serve import Settings
from grader.formats.files import check_reports, write_reports
from grader.formats.fragment import render_fragment
from grader.formats.lines import plain
from grader.formats.markup import Markup, joined, tag
from grader.formats.page import Page, render_page
from grader.jupyter.cell_runs import CellRun, RunCells
from grader.jupyter.display import Display, StatusLine
from grader.jupyter.remarks import as_graded, graded_line, remarks
from grader.jupyter.saved import SavedNotebook
from grader.optional import is_there
from grader.options import add_options, files_of, request_of, settings_of
from grader.records import FULL_SCORE, LEARNER, Cell, GraderError, Verdict

SOLVED = "%solution shows ours, with its steps."
STUCK = "%hint gives a hint."
FAILED = "%hint gives a hint; %failed puts the call that failed into the notebook."


class Parser(argparse.ArgumentParser):
    """Raises GraderError for wrong arguments, where argparse would end the kernel."""

    def error(self, message: str) -> NoReturn:
        raise GraderError(message)


@dataclass
class GradingEvents:
    """The events of a grading so far."""

    answer: AnswerCells | None = None
    ended: list[CheckEnded] = field(default_factory=list)
    failed: FailedCall | None = None
    reports: list[Report] = field(default_factory=list)
    advice: Advice = field(default_factory=Advice)

    @property
    def report(self) -> Report:
        """The report of the grading, which has only one."""
        return self.reports[0]


def grade_cells(
    ran: RunCells, line: str, judge: JudgeProcess, saved: Callable[[], SavedNotebook | None] = lambda: None
) -> GradingEvents | None:
    """Grade the cells that were run, as a notebook of their own; show the report, and write the files asked for.

    Args:
        ran: the cells that were run.
        line: what stands after `%grade`: a kata's name or nothing, then options of `python -m grader grade`.
        judge: the process that grades.
        saved: reads the notebook's file, where it is known.

    Returns:
        The events of the grading; None: only the help was asked for, or the grading was interrupted.

    Raises:
        GraderError: no cell with code was run, or the grader refused; the message says why.
    """
    options = _options(line)
    if options is None:
        return None
    if not ran.have_code:
        raise GraderError("no cell has been run yet: run the cells above, then this one again")
    ran.grades()
    files = files_of(options)
    check_reports(list(files.values()))
    runs, book, settings = ran.runs, saved(), settings_of(options)
    request = replace(
        request_of(options, book.path if book else _here() / "notebook.ipynb"),
        cells=as_graded(runs, book),
        failed_call=options.audience == LEARNER,
    )
    status, heard = StatusLine(), GradingEvents()
    try:
        for event in judge.events(request, settings):
            _hear(heard, event, status)
        # Read again, for an edit shortly before the grading may be saved by now.
        book = saved()
        ours = _remarks(heard, runs, book, lambda left: _score(judge, replace(request, cells=left), heard, settings))
    except KeyboardInterrupt:
        status.become(Display(_so_far(heard.ended)))
        return None
    except GraderError:
        status.vanish()
        raise
    heard.reports = [replace(heard.report, remarks=(*heard.report.remarks, *ours))]
    status.become(_shown(heard, options))
    if problems := write_reports(heard.reports, files, many=False):
        raise GraderError("\n".join(problems))
    return heard


def _options(line: str) -> argparse.Namespace | None:
    parser = Parser(prog="%grade", allow_abbrev=False)
    parser.add_argument("kata", nargs="?", metavar="KATA", help="left out: taken from what is defined")
    add_options(parser)
    try:
        return parser.parse_args(_words(line))
    except SystemExit:  # argparse has shown its help
        return None


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise GraderError(f"{line.strip()} cannot be read as words ({error}): close the quotation.") from None


def _hear(heard: GradingEvents, event: Event, status: StatusLine) -> None:
    match event:
        case AnswerCells():
            heard.answer = event
        case CheckBegan():
            status.say(f"grading: {event.tier}, {len(heard.ended)} checks judged")
        case CheckEnded():
            heard.ended.append(event)
        case NamingBegan(failed):
            status.say(f"grading: {failed} of {len(heard.ended)} checks failed, naming why")
        case FailedCall():
            heard.failed = event
        case Report():
            heard.reports.append(event)
        case Advice():
            heard.advice = event
        case _:
            status.say("grading: loading")


def _so_far(ended: Sequence[CheckEnded]) -> str:
    """The tiers that were judged before an interrupt, a line each."""
    if not ended:
        return "interrupted: nothing was graded"
    tiers: dict[str, list[CheckEnded]] = {}
    for each in ended:
        tiers.setdefault(each.tier, []).append(each)
    return "\n".join(["interrupted; judged so far:", *(_tier_so_far(name, of) for name, of in tiers.items())])


def _tier_so_far(name: str, ended: Sequence[CheckEnded]) -> str:
    passed = sum(each.result.verdict is Verdict.PASS for each in ended)
    mark = "PASS" if passed == len(ended) else "FAIL"
    return f"  {mark}  {name}: {passed} of {len(ended)} checks passed"


def _remarks(
    heard: GradingEvents, runs: Sequence[CellRun], saved: SavedNotebook | None, score: Callable[[tuple[Cell, ...]], int]
) -> tuple[str, ...]:
    return remarks(heard.answer, runs, saved, score) if heard.answer else ()


def _score(judge: JudgeProcess, request: Request, heard: GradingEvents, settings: Settings) -> int:
    """Return the score of other cells with the same inputs, which does not count as an attempt.

    Args:
        judge: the process that grades.
        request: the request with these cells.
        heard: the events of the grading that needs this score.
        settings: the settings of that grading.
    """
    report = heard.report
    again = replace(request, path=None, kata=report.kata, seed=report.seed, failed_call=False)
    return next((event.score for event in judge.events(again, settings) if isinstance(event, Report)), 0)


def _shown(heard: GradingEvents, options: argparse.Namespace) -> Display:
    """The report as text, and as HTML."""
    first = graded_line(heard.answer) if heard.answer else None
    run = heard.advice.next_run
    following = run.kata if run and run.submission is None else None  # after a full score: another notebook
    command = None if run is None or following else _magic(run)
    reveal, explain = options.reveal, options.explain
    page = Page(seed=heard.report.seed, command=command, begin=heard.advice.begin, reveal=reveal, explain=explain)
    after = _after(heard, following)
    above, below = [first] if first else [], [text for text, _ in after]
    text = "".join(f"{line}\n" for line in [*above, plain(render_page([heard.report], page)).rstrip("\n"), *below])
    fragment = Markup(render_fragment(heard.report, page=page))
    return Display(text, joined(*(tag("p", line) for line in above), fragment, *(html for _, html in after)))


def _after(heard: GradingEvents, following: str | None) -> list[tuple[str, Markup]]:
    """What stands below a report, as text and as HTML."""
    lines = []
    if is_there("grader.jupyter.self_study") and heard.report.kata:
        said = SOLVED if heard.report.score >= FULL_SCORE else FAILED if heard.failed else STUCK
        lines.append((said, tag("p", said)))
    if following:
        link = f"{following}.ipynb"
        lines.append((f"next kata: {following} ({link})", tag("p", "Next kata: ", tag("a", following, href=link))))
    return lines


def _magic(run: NextRun) -> str:
    """Return the magic that starts a run, such as `%grade scaffold --seed 7`."""
    tiers, allow = ",".join(tier.replace(" ", "_") for tier in run.tiers), ",".join(run.allow)
    seed = None if run.seed is None else str(run.seed)
    options = {"--tier": tiers, "--allow": allow, "--seed": seed}
    given = [f"{option} {value}" for option, value in options.items() if value]
    return " ".join(["%grade", *([run.kata] if run.kata else []), *given])


def _here() -> Path:
    """Return the notebook's folder, in which the modules that it imports are looked for by name."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("gone")
