"""The `grade` command: from paths to reports, printed and written."""

from __future__ import annotations

import gc
import secrets
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grader import budgets, interrupts
from grader.advice import Run, after_exercises, after_report, first_names
from grader.records import GraderError, Outcome, Report, Submission, Verdict
from grader.reports.audience import for_audience
from grader.reports.clean import clean, in_one_line, shortened
from grader.reports.files import check_reports, write_reports
from grader.reports.lines import complain, printing, show, width_for
from grader.reports.overview import render_overview
from grader.reports.text import printed, render
from grader.sandbox import NotIsolated, Sandbox, require_isolation
from grader.submission import (
    Stack,
    SubmittedFile,
    identify,
    read_exercises,
    read_path,
    reading,
    unknown,
)
from grader.submission.kit_json import own_kit

if TYPE_CHECKING:
    from grader.checks.kata import Kata
    from grader.judge import Options

ROOT = Path(__file__).resolve().parent.parent
REACHED, BELOW, WRONG_USE, BROKEN = range(4)
INTERRUPTED = 130
"""Exit statuses."""
SEEDS = 2**31


class Loaded(NamedTuple):
    """What needs PyTorch; loaded while the sandbox's own process imports it too."""

    katas: Sequence[Kata]
    options: type[Options]
    grade: Callable[[Submission, Kata, Options, Sandbox], Report]
    seed_for: Callable[[int, str], int]


def run_grade(options: Namespace) -> int:
    """Grade what the options name, print the reports, write the files that were asked for.

    Returns:
        The exit status.

    Raises:
        GraderError: wrong use, such as an unknown kata or no such file.
        KeyboardInterrupt: Ctrl-C before anything was graded; later what was graded is printed and written.
    """
    check_reports([path for path in (options.json, options.junit) if path is not None])
    seed = secrets.randbelow(SEEDS) if options.seed is None else options.seed
    katas: Sequence[Kata] = ()
    with open_sandbox(options) as sandbox:
        # Reading comes before the judge: bad input is answered without waiting for PyTorch.
        limits = reading(options.source_mib << 20)
        handed = Stack([], is_stack=False)
        if options.submission:
            handed = read_path(options.submission, options.kata, limits)
        if handed.files and all(file.problem for file in handed.files):
            reports = [_ungraded(file, Outcome.UNLOADABLE, str(file.problem), options, seed) for file in handed.files]
        else:
            loaded = load_judge()
            katas = loaded.katas
            _check_options(options, katas)
            if not handed.files:
                names = [kata.name for kata in katas]
                handed = Stack(read_exercises(options.kata, names, ROOT, limits), is_stack=False)
            if options.require_isolation:
                require_isolation(sandbox.protections())
            reports = _grade_all(handed, options, loaded, sandbox, seed)
    shown = {"reveal": options.reveal == "all", "show_output": options.show_output}
    reports = [for_audience(report, options.audience, **shown) for report in reports]
    many = len(handed.files) > 1 or handed.is_stack
    left = [str(file.path) for file in handed.files[len(reports) :]]
    problems = write_reports(reports, options.json, options.junit, many=many)
    try:
        with printing(sys.stdout):
            _print(handed, reports, options, katas, seed, many=many, left=left)
    except GraderError as error:
        problems.append(str(error))
    if problems:
        raise GraderError("\n".join(problems))
    return INTERRUPTED if left else _status(reports, options.fail_under)


def open_sandbox(options: Namespace) -> Sandbox:
    """The sandbox; its process starts at once and imports PyTorch while this one goes on."""
    return Sandbox(budgets.limits(options), requires_walls=options.require_isolation)


def load_judge() -> Loaded:
    """The judge and the katas; this imports PyTorch."""
    with interrupts.held():
        from grader.judge import Options, grade, seed_for
        from grader.katas import KATAS

    if not gc.isenabled():  # __main__ switched it off for these imports
        gc.freeze()
        gc.enable()
    return Loaded(KATAS, Options, grade, seed_for)


def tier_points(kata: Kata) -> dict[str, int]:
    """The points of each of a kata's tiers, in running order."""
    points: dict[str, int] = {}
    for check in kata.checks:
        points[check.tier.name] = points.get(check.tier.name, 0) + check.points
    return points


def _check_options(options: Namespace, katas: Sequence[Kata]) -> None:
    names = [kata.name for kata in katas]
    if options.kata is not None and options.kata not in names:
        raise GraderError(unknown("kata", options.kata, names))
    tiers = list(dict.fromkeys(name for kata in katas for name in tier_points(kata)))
    for tier in options.tier:
        if tier not in tiers:
            raise GraderError(unknown("tier", tier, tiers))
    if options.device == "cuda":
        raise GraderError("The device cuda is not supported yet: leave the device out, and the CPU grades.")


def _grade_all(handed: Stack, options: Namespace, loaded: Loaded, sandbox: Sandbox, seed: int) -> list[Report]:
    reports = []
    for number, file in enumerate(handed.files, start=1):
        if len(handed.files) > 1:
            _progress(f"grading {number} of {len(handed.files)}: {file.path}")
        own_seed = loaded.seed_for(seed, file.submission.sha256) if file.submission and handed.is_stack else seed
        try:
            reports.append(_grade_one(file, options, loaded, sandbox, own_seed))
        except NotIsolated as error:
            reports.append(_ungraded(file, Outcome.BROKEN, str(error), options, seed))
        except GraderError as error:
            reports.append(_ungraded(file, Outcome.UNLOADABLE, str(error), options, seed))
        except KeyboardInterrupt:
            if not reports:
                raise
            break  # the first ones may have taken an hour
        except Exception as error:
            if len(handed.files) == 1:
                raise
            complain(clean(traceback.format_exc()))  # the next one is graded all the same
            reports.append(_ungraded(file, Outcome.BROKEN, f"{type(error).__name__}: {error}", options, seed))
    if len(handed.files) > 1:
        _progress("")
    return reports


def _grade_one(file: SubmittedFile, options: Namespace, loaded: Loaded, sandbox: Sandbox, seed: int) -> Report:
    if file.failure:
        raise file.failure
    if file.submission is None:
        raise GraderError(file.problem or "it could not be read")
    name = file.kata or identify(file.submission, [kata.contract for kata in loaded.katas])
    remarks = _remarks(file, loaded)
    kata = next((kata for kata in loaded.katas if kata.name == name), None)
    if kata is None:  # of a kit whose manifest was changed, or made from other sources
        raise GraderError(unknown("kata", name, [each.name for each in loaded.katas]))
    chosen = loaded.options(
        seed=seed,
        device=options.device,
        tiers=tuple(options.tier),
        allow=frozenset(options.allow),
        pytest_args=options.pytest_args,
    )
    report = loaded.grade(file.submission, kata, chosen, sandbox)
    # With its folder: a stack holds many files of one name.
    return replace(report, submission=str(file.path), remarks=remarks)


def _remarks(file: SubmittedFile, loaded: Loaded) -> tuple[str, ...]:
    # BEGIN HIDDEN
    if file.kit is not None:
        from grader.kit import remarks  # its libraries are not needed to grade

        return remarks(file.kit, loaded.katas, ROOT)
    # END HIDDEN
    kit = own_kit(ROOT)
    if kit is None:
        return ()
    return (f"this kit's checks are worth {kit.public_points} of {kit.all_points} points; who gave it runs the others",)


def _ungraded(file: SubmittedFile, outcome: Outcome, problem: str, options: Namespace, seed: int) -> Report:
    sha256, said = file.submission.sha256 if file.submission else "", shortened(problem)
    return Report(file.kata or "", str(file.path), sha256, seed, options.device, outcome, 0.0, {}, message=said)


def _progress(text: str) -> None:
    """One line that the next replaces; only on a terminal, where somebody waits."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K" + in_one_line(text)[:100])
        sys.stderr.flush()


def _print(
    handed: Stack,
    reports: Sequence[Report],
    options: Namespace,
    katas: Sequence[Kata],
    seed: int,
    *,
    many: bool,
    left: Sequence[str],
) -> None:
    width = width_for(sys.stdout)
    if options.submission is None and len({file.kata for file in handed.files}) > 1:
        command = None if left else after_exercises(reports)
        show(render_overview(reports, seed=seed, width=width, by_kata=True, left=left, command=command), sys.stdout)
        return
    run = Run(
        options.kata,
        options.submission and str(options.submission),
        tuple(options.tier),
        tuple(options.allow),
    )
    for report in reports:
        command = None if many else after_report(report, run, [kata.name for kata in katas])
        begin = first_names(next((kata.contract.needed for kata in katas if kata.name == report.kata), ()))
        how = {"reveal": options.reveal, "explain": options.explain, "width": width}
        show(render(report, **how, command=command, begin=begin), sys.stdout)
        if report.output:
            show(printed(report, width), sys.stdout)
        sys.stdout.write("\n" if many else "")
    if many:
        show(render_overview(reports, seed=seed, width=width, unread=handed.unread, left=left), sys.stdout)


def _status(reports: Sequence[Report], fail_under: int | None) -> int:
    verdicts = {check.verdict for report in reports for tier in report.tiers for check in tier.checks}
    outcomes = {report.outcome for report in reports}
    if Outcome.BROKEN in outcomes or Verdict.BROKEN in verdicts:
        return BROKEN
    if outcomes == {Outcome.UNLOADABLE}:
        return WRONG_USE
    wanted = [report.max_score if fail_under is None else fail_under for report in reports]
    reached = all(report.score >= points for report, points in zip(reports, wanted, strict=True))
    return REACHED if reached and outcomes == {Outcome.GRADED} else BELOW
