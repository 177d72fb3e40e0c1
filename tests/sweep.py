"""`make sweep SEEDS=200`: the same verdict whatever the seed, for right programs and wrong ones.

Each seed grades all solutions, and of the right styles, the catalogue's mistakes and the wrong programs every
SHARE-th, others with each seed: in SHARE seeds all of them are met once. SHARE=1 grades all with each seed.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.grading import BY_NAME, solution
from tests.strength import grade_case
from tests.strength_cases import Case, cases
from tests.strength_record import grader_digest, keep

SWEPT = ("styles", "mistakes", "wrong")


def met_by(seed: int, share: int) -> Iterator[tuple[str, Case]]:
    """The programs that this seed grades, each with its kata."""
    for kata in BY_NAME:
        yield kata, Case("the solution", solution(kata), frozenset({"accepted"}))
    others = [(kata, case) for kata in BY_NAME for part in SWEPT for case in cases(kata, part)]
    yield from others[seed % share :: share]


def flaky(seed: int, share: int) -> tuple[int, list[str]]:
    """How many programs were graded, and of which what is wanted could not be said."""
    programs = list(met_by(seed, share))
    lines = [
        f"seed {seed}, {kata}: {case.name} was not {', '.join(sorted(left))}"
        for kata, case in programs
        if (left := case.wanted - grade_case(kata, case, seed))
    ]
    return len(programs), lines


def main() -> None:
    """Prints what differed, and keeps the count in the record of `make strength`."""
    parser = argparse.ArgumentParser(prog="make sweep", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many, from --first on")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--share", type=int, default=20, help="a seed meets one in so many of the other programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    chosen = parser.parse_args()
    started, graded, found = time.monotonic(), 0, []
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        seeds = range(chosen.first, chosen.first + chosen.seeds)
        for seed, (count, lines) in zip(seeds, pool.map(flaky, seeds, [chosen.share] * len(seeds)), strict=True):
            graded += count
            found += lines
            print(f"seed {seed}: {count} programs", *lines, sep="\n  ", file=sys.stderr, flush=True)
    minutes = (time.monotonic() - started) / 60
    told = f"{chosen.seeds} seeds, {graded} gradings in {minutes:.0f} min, {len(found)} verdicts that differ"
    print(told, *found, sep="\n")
    sweep = {"seeds": chosen.seeds, "share": chosen.share, "gradings": graded, "differ": found}
    keep(sweep=sweep | {"grader": grader_digest()})


if __name__ == "__main__":
    main()
