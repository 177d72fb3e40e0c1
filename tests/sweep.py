"""`make sweep SEEDS=200`: the same verdict whatever the seed, for right programs and wrong ones.

Every seed grades all solutions. Of the right programs in other styles it grades a share, such that each is met by
20 seeds or more (by all, where there are fewer), and of the mistakes and the wrong programs every SHARE-th. Which they
are differs from seed to seed: in SHARE seeds each is met once.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from random import Random
from typing import NamedTuple

from tests.grading import BY_NAME, not_installed, solution
from tests.strength import grade_case
from tests.strength_cases import Case, cases
from tests.strength_record import SOLUTIONS, STYLES, WRONG, Swept, grader_digest, keep

STYLE_SEEDS = 20
PARTS = {STYLES: ("styles",), WRONG: ("mistakes", "wrong")}


class Met(NamedTuple):
    """A program of a sweep."""

    kind: str
    kata: str
    case: Case


@cache
def programs(kind: str) -> tuple[Met, ...]:
    """Those of one kind that can run here, in an order in which any neighbours are of different katas and parts."""
    if kind == SOLUTIONS:
        return tuple(Met(kind, kata, Case("the solution", solution(kata), frozenset({"accepted"}))) for kata in BY_NAME)
    groups = [[Met(kind, kata, each) for each in cases(kata, part)] for kata in BY_NAME for part in PARTS[kind]]
    placed: list[tuple[float, Met]] = []
    for group in groups:
        here = [each for each in group if not not_installed(each.case.source)]
        mixed = Random(0).sample(here, len(here))  # a file has its mistakes by family
        placed += [((place + 0.5) / len(mixed), each) for place, each in enumerate(mixed)]
    return tuple(each for _, each in sorted(placed, key=lambda pair: pair[0]))


def met_by(seed: int, seeds: int, share: int) -> Iterator[Met]:
    """The programs that this seed grades, one of so many seeds."""
    share_of_styles = max(1, seeds // STYLE_SEEDS)
    yield from programs(SOLUTIONS)
    yield from programs(STYLES)[seed % share_of_styles :: share_of_styles]
    yield from programs(WRONG)[seed % share :: share]


def counted(seeds: range, share: int) -> Swept:
    """By kind: how many programs, how many gradings of them, and with how many seeds each."""
    met = Counter(each for seed in seeds for each in met_by(seed, len(seeds), share))
    times = {kind: [met[each] for each in programs(kind)] for kind in (SOLUTIONS, STYLES, WRONG)}
    return {
        kind: {"programs": len(of), "gradings": sum(of), "fewest": min(of), "most": max(of)}
        for kind, of in times.items()
    }


def flaky(seed: int, seeds: int, share: int) -> list[str]:
    """The programs of which what is wanted could not be said."""
    return [
        f"seed {seed}, {kata}: {case.name} was not {', '.join(sorted(left))}"
        for _, kata, case in met_by(seed, seeds, share)
        if (left := case.wanted - grade_case(kata, case, seed))
    ]


def main() -> None:
    """Prints what differed, and keeps the count in the record of `make strength`."""
    parser = argparse.ArgumentParser(prog="make sweep", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many, from --first on")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--share", type=int, default=100, help="a seed meets one in so many of the wrong programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    chosen = parser.parse_args()
    seeds, started, found = range(chosen.first, chosen.first + chosen.seeds), time.monotonic(), []
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        every = pool.map(flaky, seeds, [chosen.seeds] * len(seeds), [chosen.share] * len(seeds))
        for seed, lines in zip(seeds, every, strict=True):
            found += lines
            print(f"seed {seed}", *lines, sep="\n  ", file=sys.stderr, flush=True)
    print(
        f"{chosen.seeds} seeds in {(time.monotonic() - started) / 60:.0f} min, {len(found)} verdicts that differ",
        *found,
        sep="\n",
    )
    keep(
        sweep={
            "seeds": chosen.seeds,
            "graded": counted(seeds, chosen.share),
            "differ": found,
            "grader": grader_digest(),
        }
    )


if __name__ == "__main__":
    main()
