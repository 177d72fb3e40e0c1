"""`make strength`: how strong the grader is, measured; tests/strength.json keeps what came out, the pages show it.

Graded are the programs that changed since the record was made, or all of a kata whose checks changed: mistakes on the
oracle and in programs of other styles, programs, and mutants of our solution. What comes out otherwise than recorded is
printed: read it before you commit the record.
"""

import argparse
import hashlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

import torch

from grader.judge import Options, grade
from grader.records import CheckEnded, GraderError, Outcome, Report, Verdict
from grader.sandbox import Limits, Sandbox
from tests.catalogue import proven
from tests.equivalent import EQUIVALENT
from tests.grading import BY_NAME, ROOT, catalogue, solution, submission
from tests.handwriting import SAMPLE, chosen, operators_digest, record_of
from tests.handwriting import measured as measured_pair
from tests.mutants import Mutant, mutants, normal
from tests.operators import pairs
from tests.programs import REASONS, SEED, Program, outcome, programs, report_on, wanted
from tests.readme_blocks import strength as strength_table
from tests.strength_record import Entry, checks_digest, entry, keep, recorded, said_of

LIMITS = Limits(check_s=8.0, submission_s=60.0)
"""Shorter than a candidate's: a mutant may loop for ever."""
ENDED = (Outcome.UNLOADABLE, Outcome.MEMORY, Outcome.CRASH)
"""What a mutant may do by itself. A timeout is none of it: that may be the machine's."""
CHUNK = 25


@cache
def _box() -> Sandbox:
    torch.set_num_threads(1)
    return Sandbox(LIMITS)


def killed(kata: str, mutant: Mutant) -> bool:
    """Whether some check fails, by the mutant's own doing; the first one is enough."""
    try:
        for event in grade(submission(mutant.source), BY_NAME[kata], Options(SEED), _box()):
            if isinstance(event, CheckEnded) and event.result.verdict is not Verdict.PASS:
                return event.result.verdict in REASONS
            if isinstance(event, Report):
                return event.outcome in ENDED
    except GraderError:
        return False
    return False


def unexpected(kata: str, chosen: tuple[Mutant, ...]) -> list[str]:
    """The mutants that survive, and those that are killed although they are recorded as equivalent."""
    lines = []
    for mutant in chosen:
        if killed(kata, mutant) is ((kata, mutant.change) in EQUIVALENT):
            lines.append(f"{mutant.operator}, line {mutant.line}: {mutant.change.before} -> {mutant.change.after}")
    return lines


def _proven(kata: str, name: str) -> str:
    """In a process of its own: the tier that catches a mistake on the oracle."""
    torch.set_num_threads(1)
    return proven(BY_NAME[kata], catalogue(kata)[name])[0]


def _said(program: Program) -> str:
    return outcome(program, report_on(program, box=_box()))


def _chunk(kata: str, start: int) -> list[str]:
    return unexpected(kata, mutants(kata)[start : start + CHUNK])


def measured(
    kata: str, known: Entry, pool: ProcessPoolExecutor, *, everything: bool, mutated: bool
) -> Iterator[tuple[str, Any]]:
    """Grades what changed of a kata; yields the fields of its entry."""
    now, verdicts = checks_digest(kata), checks_digest(kata, naming=False)
    again = mutated and (
        everything
        or known["mutants"].get("digest") != mutants_digest(kata)
        or known["mutants"].get("verdicts") != verdicts
    )
    everything = everything or known["checks"] != now
    futures = {
        name: pool.submit(_proven, kata, name) for name in catalogue(kata) if everything or name not in known["oracle"]
    }
    here = [program for program in programs() if program.kata == kata]
    record = {"katas": {kata: known}}
    graded_ = {each: pool.submit(_said, each) for each in here if everything or said_of(record, each) is None}
    chunks = [pool.submit(_chunk, kata, i) for i in range(0, len(mutants(kata)), CHUNK)] if again else []
    other = everything or known["other styles"].get("digest") != operators_digest(kata)
    pairs_ = [pool.submit(measured_pair, *each) for each in chosen([kata], None, SAMPLE)] if other else []
    yield (
        "oracle",
        {name: futures[name].result() if name in futures else known["oracle"][name] for name in catalogue(kata)},
    )
    said: dict[str, dict[str, str]] = {}
    for program in here:
        words = graded_[program].result() if program in graded_ else said_of(record, program)
        said.setdefault(program.part, {})[program.name] = f"{program.digest} {words}"
    yield "programs", said
    if again:
        survived = [name for chunk in chunks for name in chunk.result()]
        equivalent = sum((kata, mutant.change) in EQUIVALENT for mutant in mutants(kata))
        killed_ = len(mutants(kata)) - equivalent - len(survived)
        digests = {"digest": mutants_digest(kata), "verdicts": verdicts}
        yield "mutants", digests | {"killed": killed_, "equivalent": equivalent, "survived": survived}
    if other:
        outcomes = record_of([pair.result() for pair in pairs_])
        yield "other styles", {"digest": operators_digest(kata), "exist": len(pairs(kata)), **outcomes}
    yield "checks", now


def mutants_digest(kata: str) -> str:
    """Changes with the mutants of a solution, and with which of them are equivalent."""
    own = sorted(str(change) for name, change in EQUIVALENT if name == kata)
    text = "\0".join((normal(solution(kata)), *own, (ROOT / "tests" / "mutants.py").read_text("utf-8")))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def odd(kata: str, field: str, before: Any, after: Any) -> Iterator[str]:
    """What is not as it must be, or not as it was recorded."""
    if field == "oracle":
        for name, tier in after.items():
            if tier.startswith(("(", "None")) or tier != before.get(name, tier):
                yield f"{kata}, {name} on the oracle: {tier}, recorded: {before.get(name)}"
    if field == "mutants":
        yield from (f"{kata}, mutant as it must not be: {name}" for name in after["survived"])
    if field == "other styles":
        yield from (f"{kata}, false name in another style: {name}" for name in after["false"])
        lost = sorted({*after["unnamed"]} - {*before.get("unnamed", after["unnamed"])})
        yield from (f"{kata}, not named any more in another style: {name}" for name in lost)
    if field == "programs":
        for program in (each for each in programs() if each.kata == kata and each.name in after.get(each.part, {})):
            said = after[program.part][program.name].partition(" ")[2]
            was = before.get(program.part, {}).get(program.name, f" {said}").partition(" ")[2]
            if said != was or not wanted(program, said):
                yield f"{kata}, {program.part}, {program.name}: {said}, recorded: {was}"


def main() -> None:
    """Grades what has changed, writes the record, prints what came out otherwise and the table."""
    parser = argparse.ArgumentParser(prog="make strength", description=__doc__)
    parser.add_argument("--kata", choices=BY_NAME, help="this kata alone")
    parser.add_argument("--all", action="store_true", help="what has not changed too")
    parser.add_argument("--no-mutants", action="store_true", help="these take most of the time; their record stays")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    chosen = parser.parse_args()
    with ProcessPoolExecutor(chosen.jobs, get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        for kata in [chosen.kata] if chosen.kata else BY_NAME:
            known = entry(recorded(), kata)
            for field, value in measured(kata, known, pool, everything=chosen.all, mutated=not chosen.no_mutants):
                for line in odd(kata, field, known[field], value):
                    print(line, file=sys.stderr, flush=True)
                keep(katas=recorded()["katas"] | {kata: entry(recorded(), kata) | {field: value}})
            print(f"{kata}: done", file=sys.stderr, flush=True)
    print(strength_table())


if __name__ == "__main__":
    main()
