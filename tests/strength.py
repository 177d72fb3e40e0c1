"""`make strength`: how strong the grader is, measured; tests/strength.json keeps what came out, README shows it.

Four parts for each kata: mistakes of the catalogue, right programs in other styles, wrong programs, and mutants of our
solution. Only what changed is graded, or all of it where the checks have changed.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

from grader.judge import Options
from grader.judge.engine import QUIET
from grader.records import GraderError
from grader.sandbox import Limits, Sandbox
from tests.grading import BY_NAME, graded, not_installed
from tests.readme_blocks import strength as strength_table
from tests.strength_cases import PARTS, Case, cases, digest, said
from tests.strength_record import Part, grader_digest, keep, recorded

LIMITS = Limits(check_s=5.0, submission_s=60.0)
"""Shorter than a candidate's: a mutant may loop for ever."""
STOP = ("-x", *QUIET)
"""Where it matters alone that some check fails, the first one is enough: a third of the time, for a mutant."""
SEED = 1
CHUNK = 25

Missed = dict[str, list[str]]
"""By word of the table: the names of the cases for which it was wanted and could not be said."""


def stale(record: dict[str, Any]) -> list[tuple[str, str]]:
    """The katas and parts whose programs are others than those that were graded."""
    return [
        (kata, part)
        for kata in BY_NAME
        for part in PARTS
        if digest(kata, part) != record["katas"].get(kata, {}).get(part, {}).get("digest")
    ]


def missed(kata: str, chosen: tuple[Case, ...]) -> Missed:
    """Grades the cases, and keeps those of which something wanted cannot be said."""
    found: Missed = {}
    for case in chosen:
        for word in sorted(case.wanted - grade_case(kata, case, SEED)):
            found.setdefault(word, []).append(case.name)
    return found


def grade_case(kata: str, case: Case, seed: int) -> frozenset[str]:
    """What can be said of a case after it was graded; all that is wanted where a module that it needs is missing."""
    if not_installed(case.source):
        return case.wanted
    options = Options(seed) if case.tier else Options(seed, pytest_args=STOP)
    try:
        return said(case, graded(kata, case.source, options, _box()))
    except GraderError:
        return frozenset()


@cache
def _box() -> Sandbox:
    return Sandbox(LIMITS)


def _chunk(kata: str, part: str, start: int) -> Missed:
    """In a process of its own."""
    return missed(kata, cases(kata, part)[start : start + CHUNK])


def measured(wanted: list[tuple[str, str]], jobs: int) -> Iterator[tuple[str, str, Part]]:
    """Grades these parts of katas in so many processes; yields each with its record."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running = [
            (kata, part, [pool.submit(_chunk, kata, part, i) for i in range(0, len(cases(kata, part)), CHUNK)])
            for kata, part in wanted
        ]
        for kata, part, chunks in running:
            found: Missed = {}
            for chunk in chunks:
                for word, names in chunk.result().items():
                    found.setdefault(word, []).extend(names)
            there = [case for case in cases(kata, part) if not not_installed(case.source)]
            counts = Counter(word for case in there for word in case.wanted)
            yield kata, part, {"digest": digest(kata, part), "wanted": dict(sorted(counts.items())), "missed": found}


def main() -> None:
    """Grades what has changed, writes the record, prints what was missed and the table."""
    parser = argparse.ArgumentParser(prog="make strength", description=__doc__)
    parser.add_argument("--kata", choices=BY_NAME, help="this kata alone")
    parser.add_argument("--part", choices=PARTS, help="this part alone")
    parser.add_argument("--all", action="store_true", help="what has not changed too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    chosen = parser.parse_args()
    record, now = recorded(), grader_digest()
    everything = [(kata, part) for kata in BY_NAME for part in PARTS]
    wanted = everything if chosen.all or record["grader"] != now else stale(record)
    wanted = [(kata, part) for kata, part in wanted if chosen.kata in (None, kata) and chosen.part in (None, part)]
    katas = record["katas"]
    for kata, part, found in measured(wanted, chosen.jobs):
        katas.setdefault(kata, {})[part] = found
        keep(katas=katas)
        print(f"{kata}: {part}, {len(cases(kata, part))} programs", file=sys.stderr, flush=True)
        for word, names in found["missed"].items():
            print(*(f"  not {word}: {name}" for name in names), sep="\n", file=sys.stderr, flush=True)
    if chosen.kata is None and chosen.part is None:
        keep(grader=now)
    print(strength_table())


if __name__ == "__main__":
    main()
