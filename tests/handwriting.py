"""How often a mistake of the catalogue is named in programs of other styles, and how often a name is false.

Each pair of tests/operators.py is graded. A pair counts where a check of its report failed on a value: a program that
comes out right, does not load, or only raises, is none. Its outcome is `unnamed` where the report names no mistake,
`named` where each that it names, at any check, is true of what the operator makes, and else `false`.

So a second name beside the true one is false, also where a search for two mistakes has proven both: without the
operator's change the program has all points, and who repairs the second one repairs nothing. No other name gives the
same values on all inputs, as tests/test_catalogue.py shows; one that is true of a part (of two inverted masks one is
inverted) is listed with its operator.

    .venv/bin/python -m tests.handwriting [--kata X] [--operator Y] [--limit N] [--jobs 2] [--out FILE]
"""

import argparse
import hashlib
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from grader.judge import Options
from grader.records import CheckResult, Outcome, Report, Verdict
from tests.grading import BY_NAME, ROOT, graded, names_in, results
from tests.operators import OPERATORS, Pair, pairs, sources

SEED = 1
SAMPLE = 160
"""Pairs of each kata that `make strength` grades: all of them would take two hours and a half on 2 cores."""
NAMED, UNNAMED, FALSE, NO_PAIR = "named", "unnamed", "false", "no pair"


def names_given(report: Report) -> list[str]:
    """The mistakes that a report names by values, the first failure's first: what was raised is explained as that."""
    failed = [check for check in results(report) if check.verdict is Verdict.FAIL]
    return list(dict.fromkeys(name for check in failed for name in names_in(report.kata, check.mistakes)))


def outcome(pair: Pair, report: Report) -> dict[str, Any]:
    """What a report says of a pair."""
    failed = [check for check in results(report) if check.verdict is Verdict.FAIL]
    given = names_given(report)
    others = [check for check in results(report) if check.verdict is not Verdict.PASS]
    if report.outcome is not Outcome.GRADED or not failed:
        said = NO_PAIR
    else:
        said = UNNAMED if not given else NAMED if pair.operator.mistakes >= set(given) else FALSE
    return {
        "kata": pair.kata,
        "style": pair.style,
        "operator": pair.operator.name,
        "outcome": said,
        "names": given,
        "score": report.score,
        "first": _in_words((*failed, *others)) or str(report.message),
        "fails_when": report.fails_when,
    }


def _in_words(failures: Sequence[CheckResult]) -> str:
    return f"{failures[0].name}: {failures[0].what}: {failures[0].got}" if failures else ""


def measured(kata: str, place: int) -> dict[str, Any]:
    """The outcome of the pair at that place; for a process of its own."""
    torch.set_num_threads(1)
    pair = pairs(kata)[place]
    return outcome(pair, graded(kata, pair.source, Options(seed=SEED)))


def record_of(outcomes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What tests/strength.json keeps of a kata's sample."""
    by_said: dict[str, list[str]] = {said: [] for said in (NAMED, UNNAMED, FALSE, NO_PAIR)}
    for each in outcomes:
        by_said[each["outcome"]].append(f"{each['style']}: {each['operator']}")
    return {NAMED: len(by_said[NAMED]), UNNAMED: sorted(by_said[UNNAMED]), FALSE: sorted(by_said[FALSE])}


def operators_digest(kata: str) -> str:
    """Changes with the operators and with the right programs of a kata."""
    made_by = [ROOT / "tests" / name for name in ("handwriting.py", "operators.py", "patterns.py")]
    texts = [*(path.read_text(encoding="utf-8") for path in made_by), *sources(kata).values()]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def chosen(katas: Sequence[str], operator: str | None, limit: int | None) -> list[tuple[str, int]]:
    """The pairs to grade, by kata and place: all, or a seeded sample of each kata, with as many of each operator.

    Args:
        katas: whose pairs.
        operator: the only one, where one is named.
        limit: how many of each kata at most.
    """
    picked: list[tuple[str, int]] = []
    for kata in katas:
        turns: dict[str, int] = {}
        ranked = []
        for place in random.Random(SEED).sample(range(len(pairs(kata))), len(pairs(kata))):
            name = pairs(kata)[place].operator.name
            if operator in (None, name):
                turns[name] = turns.get(name, 0) + 1
                ranked.append((turns[name], place))
        picked += [(kata, place) for _, place in sorted(ranked)[:limit]]
    return picked


def shares(outcomes: Sequence[dict[str, Any]], group: Callable[[dict[str, Any]], str]) -> list[str]:
    """A line for each group, the least named first."""
    counts: dict[str, Counter[str]] = {}
    for each in outcomes:
        counts.setdefault(group(each), Counter())[each["outcome"]] += 1
    lines = []
    for name, count in counts.items():
        total = count[NAMED] + count[UNNAMED] + count[FALSE]
        share = count[NAMED] / total if total else 1.0
        lines.append((share, f"{name:52} {total:5} {count[NAMED]:6} {count[UNNAMED]:8} {count[FALSE]:6} {share:7.1%}"))
    return [f"{'':52} pairs  named  unnamed  false", *(line for _, line in sorted(lines))]


def main() -> None:
    """Grades what is asked for, and prints what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kata", choices=BY_NAME)
    parser.add_argument("--operator", choices=sorted({each.name for each in OPERATORS}))
    parser.add_argument("--limit", type=int, help="so many pairs of each kata")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="JSON of all outcomes")
    options = parser.parse_args()
    todo = chosen([options.kata] if options.kata else list(BY_NAME), options.operator, options.limit)
    os.environ["OMP_NUM_THREADS"] = "1"
    outcomes = []
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("fork")) as pool:
        for each in pool.map(measured, *zip(*todo, strict=True), chunksize=4) if todo else ():
            outcomes.append(each)
            if each["outcome"] in (UNNAMED, FALSE):
                print("{outcome}: {kata}/{style}: {operator}: {names} {first}".format(**each), flush=True)
    if options.out:
        options.out.write_text(json.dumps(outcomes, indent=0) + "\n", encoding="utf-8")
    print("\n".join(shares(outcomes, lambda each: f"{each['kata']}: {each['operator']}")))
    print("\n".join(shares(outcomes, lambda each: each["kata"])))


if __name__ == "__main__":
    main()
