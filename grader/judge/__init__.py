"""Runs a kata's tiers on a submission: the worker computes, the judge decides."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from traceback import extract_tb

import torch

from grader.checks.kata import Kata
from grader.checks.tiers import Check
from grader.formats.clean import shortened
from grader.judge import copies
from grader.judge.contract_names import by_position, defaults, missing_or_wrong, renamings
from grader.judge.engine import Engine, result_of
from grader.judge.failed_call import smallest
from grader.judge.findings import EXPLAINED, Finding, Note, first_notes
from grader.judge.session import Session
from grader.judge.transcripts import Transcripts
from grader.records import (
    CheckBegan,
    CheckEnded,
    CheckResult,
    FailedCall,
    GraderError,
    NamingBegan,
    Outcome,
    Report,
    Submission,
    TierResult,
    Verdict,
)
from grader.sandbox import Sandbox, WorkerLost
from grader.submission import unknown

OUTCOMES = {Verdict.TIMEOUT: Outcome.TIMEOUT, Verdict.MEMORY: Outcome.MEMORY, Verdict.CRASH: Outcome.CRASH}
NOT_RUN = Finding(Verdict.SKIP)
DIAGNOSIS = f"{__name__}.diagnosis"
"""The module that names mistakes. A kit does not contain it, nor the oracle and the mistakes that it needs."""
PACKAGE = Path(__file__).resolve().parents[1]
NOT_DIAGNOSED = "mistakes could not be named, by a fault of the grader that costs no points"


@dataclass(frozen=True, slots=True)
class Options:
    """How to grade.

    Attributes:
        seed: the seed from which inputs are drawn.
        tiers: names of the tiers to run; those that the kata does not have are skipped; empty: all.
        first: the tier whose checks run before the others; None: public checks run first.
        allow: what the operator policy lets pass: `sdpa`, `mha`.
        checks: for authors of checks: words of which a check's name must contain at least one; empty: all checks.
        debug: for authors of checks: whether a debugger opens where a check fails.
        failed_call: whether the smallest failing call is reported.
        workers: how many workers run the checks of a submission at the same time.
    """

    seed: int
    device: str = "cpu"
    tiers: tuple[str, ...] = ()
    first: str | None = None
    allow: frozenset[str] = frozenset()
    checks: tuple[str, ...] = ()
    debug: bool = False
    failed_call: bool = False
    workers: int = 1


def grade(
    submission: Submission, kata: Kata, options: Options, sandbox: Sandbox, transcripts: Transcripts | None = None
) -> Iterator[CheckBegan | CheckEnded | FailedCall | NamingBegan | Report]:
    """Runs the checks; exceptions of the submission become verdicts.

    Args:
        submission: what is graded.
        kata: whose checks are run.
        options: the seed, and which checks.
        sandbox: starts the workers.
        transcripts: what earlier submissions answered, for the same use in later ones; None: nothing is remembered.

    Yields:
        An event before and after each check, then the smallest failing call if `options` asks for it, an event before
        mistakes are named, and last the report.

    Raises:
        GraderError: the kata has no tier of these names, or no check whose name contains one of these words.
    """
    started = time.monotonic()
    torch.set_num_threads(1)  # the tensors are small, and threads that wait would take the worker's core
    checks = choose_checks(kata, options.tiers, options.checks)
    allowed = options.allow | kata.policy.allowed
    workers = options.workers if options.workers > 1 and copies.can_be_made() else 1
    sessions = [Session(sandbox, submission, kata.contract, allowed) for _ in range(workers)]
    session = sessions[0]
    engine = Engine(
        kata,
        checks,
        session,
        options.seed,
        beside=sessions[1:],
        transcripts=None if options.debug or workers > 1 else transcripts,
        first=options.first,
        debug=options.debug,
        keeps_calls=options.failed_call,
    )
    outcome, message, parts_at, fails_when = Outcome.GRADED, None, None, None
    try:
        loaded = session.load()
        message = missing_or_wrong(kata.contract, loaded, submission, session.notes)
        if message:
            session.notes = [note for note in session.notes if note.text not in message]
            outcome, message = Outcome.UNLOADABLE, shortened(message)
        else:
            renamed = renamings(kata.contract, loaded)
            said = [*map(by_position, renamed), *defaults(kata.contract, loaded)]
            if session.stand_in:
                said.insert(0, f"{session.stand_in.name} is graded as {session.stand_in.needed}")
            session.notes += map(Note, said)
            session.own_names = {each.name: dict(each.parameters) for each in renamed}
            yield from engine.run()
            if engine.failure:
                outcome, message = Outcome.BROKEN, engine.failure
            if options.failed_call and (call := smallest(engine.failed_calls, [tier.name for tier in kata.tiers])):
                yield call
    except WorkerLost as lost:
        outcome, message = OUTCOMES[lost.verdict], f"{session.doing}: {lost.sentence}"
    finally:
        for each in sessions:
            each.close()
    tiers = collect_tiers(kata, checks, engine.results)
    if kata.key is not None and outcome is Outcome.GRADED:
        if failed := sum(check.verdict in EXPLAINED for tier in tiers for check in tier.checks):
            yield NamingBegan(failed)
        tiers, parts_at, fails_when = _diagnosed(engine, tiers, session.notes)
    yield Report(
        kata=kata.name,
        submission=submission.path.name,
        sha256=submission.sha256,
        seed=options.seed,
        device=options.device,
        outcome=outcome,
        duration_s=round(time.monotonic() - started, 3),
        protections=sandbox.protections(),
        tiers=tiers,
        message=message,
        parts_at=parts_at,
        fails_when=fails_when,
        notes=first_notes(session.notes),
        worth_reading=submission.worth_reading,
        output="".join(each.printed for each in sessions)[-sandbox.limits.output_tail :],
    )


def _diagnosed(
    engine: Engine, tiers: tuple[TierResult, ...], notes: list[Note]
) -> tuple[tuple[TierResult, ...], str | None, str | None]:
    """Return the tiers with mistakes named, the first place where values are wrong, and the calls in which they are.

    An exception in the diagnosis changes no verdict.

    Args:
        engine: the engine that ran the checks.
        tiers: the results of the checks.
        notes: on the run; an exception is noted first, without its message, which may hold values of a hidden check.
    """
    try:
        return import_module(DIAGNOSIS).diagnose(engine, tiers)
    except Exception as fault:
        ours = [each for each in extract_tb(fault.__traceback__) if Path(each.filename).is_relative_to(PACKAGE)]
        place = f"{Path(ours[-1].filename).relative_to(PACKAGE.parent)}:{ours[-1].lineno}"
        notes.insert(0, Note(f"{NOT_DIAGNOSED} ({type(fault).__name__} at {place})"))
        return tiers, None, None


def choose_checks(kata: Kata, tiers: Sequence[str] = (), words: Sequence[str] = ()) -> tuple[Check, ...]:
    """Return the checks of the named tiers in running order, or of all tiers if none is named.

    Args:
        kata: the kata whose checks are chosen.
        tiers: names of tiers; those that the kata does not have are skipped.
        words: words of which a check's name must contain at least one; empty: all checks.

    Raises:
        GraderError: the kata has none of these tiers, or no check whose name contains one of these words.
    """
    known = [tier.name for tier in kata.tiers]
    wanted = [name for name in known if name in tiers or not tiers]
    if not wanted:
        raise GraderError(unknown(f"tier of {kata.name}", tiers[0], known))
    checks = tuple(check for check in kata.checks if check.tier.name in wanted)
    picked = tuple(check for check in checks if not words or any(word in check.name for word in words))
    if not picked:
        raise GraderError(unknown(f"check of {kata.name}", words[0], [check.name for check in checks]))
    return picked


def collect_tiers(kata: Kata, checks: Sequence[Check], results: dict[str, CheckResult]) -> tuple[TierResult, ...]:
    """Return a result for each expected check, by tier; a check without a result was not run, and earns nothing.

    Args:
        kata: the kata whose tiers these are.
        checks: the checks that were to be run.
        results: the results by check name.
    """
    tiers = []
    for tier in kata.tiers:
        of_tier = [check for check in checks if check.tier is tier]
        of_results = tuple(results.get(check.name) or result_of(check, NOT_RUN) for check in of_tier)
        if of_results:
            tiers.append(TierResult(tier.name, kata.proves(tier), of_results))
    return tuple(tiers)


def report_of(submission: Submission, kata: Kata, options: Options, sandbox: Sandbox) -> Report:
    """The report alone; arguments as of `grade`."""
    return next(event for event in grade(submission, kata, options, sandbox) if isinstance(event, Report))
