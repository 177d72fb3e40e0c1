"""The entry to the library: `Grader` turns a request into events, reports among them, while it works on it."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from grader.core import advice, intake, jobs, judging, place, progress, seeds
from grader.core.answer_cells import split_answer
from grader.core.audience import check_for_audience, for_audience
from grader.core.digest import digest
from grader.core.events import Advice, Event, Intake, SubmissionBegan
from grader.core.request import Request
from grader.formats.clean import shortened
from grader.records import CANDIDATE, LEARNER, CheckEnded, GraderError, Outcome, Report
from grader.sandbox import Limits, NotIsolated, Sandbox, require_isolation
from grader.submission import Stack, SubmittedFile
from grader.submission.reading_process import ReadingProcess

if TYPE_CHECKING:
    from grader.checks.kata import Kata


MOST_WORKERS = 4
"""The most workers that share one submission's checks: to start a worker takes longer than a fifth of the checks."""


class Grader:
    """Grades submissions in a sandbox of its own, which stays warm from one request to the next. A context manager.

    The sandbox's process starts at once and imports PyTorch while a first submission is read, unless it was forked from
    this process; this process imports it when a check is to run. Not for use from two threads at once.

    Args:
        limits: what a submission may take.
        require_isolation: whether to refuse to grade where a protection is off.
        jobs: how many processes grade a stack at once, at most; each has a sandbox of its own.
    """

    def __init__(self, limits: Limits | None = None, *, require_isolation: bool = False, jobs: int = 1) -> None:
        self._require_isolation, self._jobs = require_isolation, jobs
        self._sandbox = Sandbox(limits, requires_layers=require_isolation)
        self._judge: judging.Judge | None = None
        self._reading: ReadingProcess | None = None

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends every process that was started here; may be called again."""
        self._sandbox.close()
        if self._reading:
            self._reading.close()

    def reports(self, request: Request, known: Iterable[Report] = ()) -> Iterator[Report]:
        """Yield only the reports of `grade`; arguments and errors as of `grade`."""
        return (event for event in self.grade(request, known) if isinstance(event, Report))

    def grade(self, request: Request, known: Iterable[Report] = ()) -> Iterator[Event]:
        """Grades what a request names.

        Args:
            request: what to grade, and how.
            known: reports of an earlier run; one on the same file with the same seed and digest is used in place of a
                new one.

        Yields:
            The intake; for each submission its beginning, its checks and its report; advice last. A submission that
            cannot be graded has a report that says so, and so has one on which the grader itself failed.

        Raises:
            GraderError: wrong use, such as an unknown kata or no such file; or a required protection is off.
        """
        seed = seeds.draw_seed() if request.seed is None else request.seed
        # Reading comes before the judge: bad input is answered without waiting for PyTorch.
        handed = intake.read(request, self._reader())
        needs_judge = handed is None or any(file.kata or not file.problem for file in handed.files)
        judge = self._loaded(request) if needs_judge else None
        katas = judge.katas if judge else ()
        if handed is None:
            handed = intake.read_the_exercises(request, [kata.name for kata in katas], place.ROOT)
        handed, aside = intake.without_companions(handed, katas)
        if request.tiers and katas:
            request = replace(request, tiers=judging.named_tiers(request.tiers, intake.katas_of(handed, katas)))
        by_kata = request.path is None and not request.cells and len({file.kata for file in handed.files}) > 1
        yield Intake(
            tuple(str(file.path) for file in handed.files),
            seed,
            many=handed.is_stack or len(handed.files) > 1,
            by_kata=by_kata,
            unread=tuple(handed.unread),
            aside=aside,
        )
        workers = self._workers(request, len(handed.files))
        known_by_key = {_key(report): report for report in known}
        run = _Grading(request, judge, self._sandbox, known_by_key, handed, seed, workers)
        reports: list[Report] = []
        graded = jobs.grade_as_they_end if request.as_they_end else jobs.grade_in_order
        for events in graded(handed.files, run.grade, lambda: self._copied(run).grade, self._processes(request)):
            number = 0
            for event in events:
                if isinstance(event, SubmissionBegan):
                    number = event.number
                if isinstance(event, Report) and not request.tiers and (request.path or not request.cells):
                    progress.keep(event, handed.files[number - 1].path, ran_here=bool(request.cells))
                if isinstance(event, Report) and (by_kata or len(handed.files) == 1):  # thousands would fill the memory
                    reports.append(event)
                yield event
        yield _advice(request, reports, katas, by_kata=by_kata)

    def _reader(self) -> ReadingProcess:
        """Return the process that reads files; it is kept between requests, and replaced if it was killed."""
        if self._reading is None or not self._reading.runs:
            self._reading = ReadingProcess()
        return self._reading

    def _processes(self, request: Request) -> int:
        return 1 if request.debug or self._judge is None else self._jobs

    def _workers(self, request: Request, submissions: int) -> int:
        """The number of workers for one submission's checks: several where no other submission is graded meanwhile."""
        alone = not jobs.copies(self._processes(request), submissions, as_they_end=request.as_they_end)
        several = alone and not request.debug and self._sandbox.forks and jobs.processors() > 1
        return min(jobs.processors(), MOST_WORKERS) if several else 1


    def _copied(self, run: _Grading) -> _Grading:
        """Return the grading for a forked copy of this process, which gets a sandbox of its own once it needs one."""
        limits, requires = self._sandbox.limits, self._require_isolation
        return run._replace(sandbox=Sandbox(limits, requires_layers=requires, starts_at_once=False))

    def _loaded(self, request: Request) -> judging.Judge:
        self._judge = self._judge or judging.load_judge()
        judging.check_names(request, self._judge.katas)
        if self._require_isolation:
            require_isolation(self._sandbox.protections())
        return self._judge


class _Grading(NamedTuple):
    """What the submissions of a request have in common."""

    request: Request
    judge: judging.Judge | None
    sandbox: Sandbox
    known: dict[tuple[str, ...], Report]
    handed: Stack
    seed: int
    workers: int

    def grade(self, number: int, file: SubmittedFile) -> Iterator[Event]:
        """Yield the events of one submission: its beginning, its checks and its report."""
        yield SubmissionBegan(str(file.path), number, len(self.handed.files))
        kata, seed = self._kata_named(file), _seed_of(file, self.handed, self.seed)
        if file.problem:
            yield self._ungraded(file, kata, seed, Outcome.UNLOADABLE, file.problem)
            return
        assert self.judge is not None  # it was loaded, since this file can be graded
        try:
            kata = intake.kata_of(file, self.judge.katas)
            yield from self._judged(file, kata, seed)
        except NotIsolated as error:
            yield self._ungraded(file, kata, seed, Outcome.BROKEN, str(error))
        except GraderError as error:
            yield self._ungraded(file, kata, seed, Outcome.UNLOADABLE, str(error))
        except Exception:
            yield self._ungraded(file, kata, seed, Outcome.BROKEN, traceback.format_exc())

    def _kata_named(self, file: SubmittedFile) -> Kata | None:
        named = file.kata or file.path.stem  # the name is all that is known of a file that cannot be read
        return next((kata for kata in (self.judge.katas if self.judge else ()) if kata.name == named), None)

    def _judged(self, file: SubmittedFile, kata: Kata, seed: int) -> Iterator[Event]:
        request, judge, submission = self.request, self.judge, file.submission
        assert judge is not None
        assert submission is not None
        remarks = intake.remarks(file, judge.katas, place.ROOT)
        own = digest(kata, request, self.sandbox.limits)
        if report := self.known.get((str(file.path), submission.sha256, str(seed), own)):
            yield replace(report, source=submission.cells)
            return
        if request.cells:
            submission, answer = split_answer(submission, kata.contract)
            yield answer
        options = judge.options(
            seed=seed,
            device=request.device,
            tiers=request.tiers,
            first=request.first if request.audience == LEARNER else None,
            allow=request.allow,
            checks=request.checks,
            debug=request.debug,
            failed_call=request.failed_call and request.audience != CANDIDATE,
            workers=self.workers,
        )
        for event in judge.grade(submission, kata, options, self.sandbox):
            match event:
                case Report():
                    # The path with its folder: a stack holds many files of the same name.
                    given = replace(event, submission=str(file.path), remarks=remarks, digest=own)
                    yield self._shown(replace(given, source=submission.cells), kata)
                case CheckEnded():
                    shown = check_for_audience(event.result, request.audience, reveal=request.reveal)
                    yield replace(event, result=shown)
                case _:
                    yield event

    def _ungraded(self, file: SubmittedFile, kata: Kata | None, seed: int, outcome: Outcome, problem: str) -> Report:
        name = kata.name if kata else file.kata or ""
        device, message = self.request.device, shortened(problem)
        source = file.submission.cells if file.submission else ()
        report = Report(
            name, str(file.path), file.sha256, seed, device, outcome, 0.0, {}, message=message, source=source
        )
        return self._shown(report, kata)

    def _shown(self, report: Report, kata: Kata | None) -> Report:
        """Return the report as its reader may see it; where nothing was graded, its tiers are added as skipped."""
        if not report.tiers and kata is not None and self.judge is not None:
            there = tuple(tier for tier in self.request.tiers if tier in judging.tier_points(kata))
            report = replace(report, tiers=self.judge.skipped(kata, there))
        how = {"reveal": self.request.reveal, "show_output": self.request.show_output}
        return for_audience(report, self.request.audience, **how)


def _key(report: Report) -> tuple[str, ...]:
    return report.submission, report.sha256, str(report.seed), report.digest


def _seed_of(file: SubmittedFile, handed: Stack, seed: int) -> int:
    return seeds.derive_seed(seed, file.sha256) if handed.is_stack and file.sha256 else seed


def _advice(request: Request, reports: list[Report], katas: Iterable[Kata], *, by_kata: bool) -> Advice:
    if by_kata:
        return Advice(advice.after_exercises(reports))
    if len(reports) != 1:
        return Advice()
    needed = next((kata.contract.needed for kata in katas if kata.name == reports[0].kata), ())
    next_run = advice.after_report(reports[0], request, [kata.name for kata in katas])
    return Advice(next_run, advice.first_names(needed))
