"""`make sweep SEEDS=200`: the same outcome whatever the seed, for right programs and wrong ones.

Every seed grades all solutions, and every SHARE-th of the programs of tests/programs.py; which they are differs from
seed to seed, so that SHARE seeds meet each once.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random

from tests.grading import BY_NAME, solution
from tests.programs import Program, outcome, programs, report_on
from tests.strength_record import keep, recorded, said_of


def met_by(seed: int, share: int) -> list[Program]:
    """The programs that this seed grades; neighbours are of different katas and parts."""
    mixed = Random(0).sample(programs(), len(programs()))
    return [
        *(Program(kata, "styles", "the solution", solution(kata)) for kata in BY_NAME),
        *mixed[seed % share :: share],
    ]


def flaky(seed: int, share: int) -> list[str]:
    """The programs of which something else was said than the record says, or of a solution than that it is right."""
    record, differences = recorded(), []
    for program in met_by(seed, share):
        said = outcome(program, report_on(program, seed))
        expected = said_of(record, program) or "100"
        if said != expected:
            differences.append(f"seed {seed}, {program.kata}, {program.part}, {program.name}: {said}, not {expected}")
    return differences


def main() -> None:
    """Prints what differed, and keeps the count in the record of `make strength`."""
    parser = argparse.ArgumentParser(prog="make sweep", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many, from --first on")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--share", type=int, default=100, help="a seed meets one in so many of the programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    chosen = parser.parse_args()
    seeds, started, differences = range(chosen.first, chosen.first + chosen.seeds), time.monotonic(), []
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        for seed, lines in zip(seeds, pool.map(flaky, seeds, [chosen.share] * len(seeds)), strict=True):
            differences += lines
            print(f"seed {seed}", *lines, sep="\n  ", file=sys.stderr, flush=True)
    gradings = sum(len(met_by(seed, chosen.share)) for seed in seeds)
    print(
        f"{gradings} gradings in {(time.monotonic() - started) / 60:.0f} min, {len(differences)} outcomes differ",
        *differences,
        sep="\n",
    )
    keep(sweep={"seeds": chosen.seeds, "gradings": gradings, "differ": differences})


if __name__ == "__main__":
    main()
