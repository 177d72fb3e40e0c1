"""Runs a kata's tiers on a submission: the worker computes, the judge decides."""

import hashlib
import time
from dataclasses import dataclass

import torch

from grader.checks.kata import Kata
from grader.checks.tiers import TIERS, Check
from grader.formats.clean import shortened
from grader.judge.engine import Engine, result_of
from grader.judge.names import missing_or_wrong
from grader.judge.problems import Finding, first_notes
from grader.judge.session import Session
from grader.records import CheckResult, GraderError, Outcome, Report, Submission, TierResult, Verdict
from grader.sandbox import Sandbox, WorkerLost
from grader.submission import unknown

# BEGIN HIDDEN
# isort: split
from grader.judge.told import with_questions

# END HIDDEN

OUTCOMES = {Verdict.TIMEOUT: Outcome.TIMEOUT, Verdict.MEMORY: Outcome.MEMORY, Verdict.CRASH: Outcome.CRASH}
SILENT = "the check did not report"


@dataclass(frozen=True, slots=True)
class Options:
    """How to grade.

    Attributes:
        seed: of the inputs.
        tiers: names of the tiers to run, of which a kata may leave some out; empty: all.
        allow: what the operator policy lets pass: `sdpa`, `mha`.
        pytest_args: for authors of katas, such as `-k padding --pdb`.
    """

    seed: int
    device: str = "cpu"
    tiers: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()
    pytest_args: tuple[str, ...] = ()


def grade(submission: Submission, kata: Kata, options: Options, sandbox: Sandbox) -> Report:
    """Runs the checks and returns what they found; exceptions of the submission become verdicts.

    Raises:
        GraderError: the kata has no tier of these names.
    """
    started = time.monotonic()
    torch.set_num_threads(1)  # the tensors are small, and threads that wait would take the worker's core
    checks = chosen(kata, options.tiers)
    session = Session(sandbox, submission, kata.contract, options.allow)
    tiers: tuple[TierResult, ...] = ()
    outcome, message = Outcome.GRADED, None
    try:
        message = missing_or_wrong(kata.contract, session.load(), submission, session.notes)
        if message:
            outcome, message = Outcome.UNLOADABLE, shortened(message)
        else:
            engine = Engine(kata, checks, session, options.seed)
            engine.run(options.pytest_args)
            tiers = collected(checks, engine.results)
            # BEGIN HIDDEN
            tiers = with_questions(tiers, kata, engine.named)
            # END HIDDEN
            if engine.failure:
                outcome, message = Outcome.BROKEN, engine.failure
    except WorkerLost as lost:
        outcome, message = OUTCOMES[lost.verdict], f"{session.doing}: {lost.sentence}"
    finally:
        session.close()
    return Report(
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
        notes=first_notes(session.notes),
        worth_reading=submission.worth_reading,
        output=session.printed,
    )


def chosen(kata: Kata, tiers: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks of those tiers named that the kata has, all of them where none is named, in the order of the tiers.

    Raises:
        GraderError: it has none of them.
    """
    known = [tier.name for tier in TIERS if any(check.tier is tier for check in kata.checks)]
    wanted = [name for name in known if name in tiers or not tiers]
    if not wanted:
        raise GraderError(unknown(f"tier of {kata.name}", tiers[0], known))
    return tuple(check for tier in TIERS if tier.name in wanted for check in kata.checks if check.tier is tier)


def collected(checks: tuple[Check, ...], results: dict[str, CheckResult]) -> tuple[TierResult, ...]:
    """The results by tier, from the list of the checks expected: one that did not report is an error."""
    tiers = []
    for tier in TIERS:
        of_tier = [check for check in checks if check.tier is tier]
        silent = Finding(Verdict.ERROR, got=SILENT)
        found = tuple(results.get(check.name) or result_of(check, silent) for check in of_tier)
        if found:
            tiers.append(TierResult(tier.name, tier.proves, found))
    return tuple(tiers)


def seed_for(stack_seed: int, sha256: str) -> int:
    """A submission's seed in a stack: grading again gives the same report, and neighbours differ."""
    return int.from_bytes(hashlib.sha256(f"{stack_seed}:{sha256}".encode()).digest()[:4], "big")
