"""What `make strength` grades: programs of which it is known what the grader has to say of them."""

import hashlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from grader.records import Outcome, Report, Verdict
from tests.equivalent import EQUIVALENT
from tests.grading import BY_NAME, ROOT, first_tier_that_fails, results
from tests.mistakes import edited
from tests.mutants import mutants, normal

BELOW_100 = frozenset({"caught", "rejected", "killed"})
FULL = frozenset({"accepted", "equivalent"})


class Case(NamedTuple):
    """A program, and what is known of it.

    Attributes:
        name: says which it is among those of its kata and part.
        wanted: what `said` has to hold, in the words of the table.
        tier: the first one that must fail, where that is known.
        sentence: of the mistake that must be named.
    """

    name: str
    source: str
    wanted: frozenset[str]
    tier: str | None = None
    sentence: str | None = None


def mistakes(kata: str) -> list[Case]:
    """Those of tests/mistakes/, made in our solution."""
    module = import_module(f"tests.mistakes.{kata}")
    sentences = {mistake.name: mistake.sentence for mistake in BY_NAME[kata].mistakes}
    caught, at_tier = frozenset({"caught"}), frozenset({"caught", "at its tier"})
    return [
        *(
            Case(each.mistake, edited(kata, each.changes), at_tier | {"named"}, each.tier, sentences[each.mistake])
            for each in module.EDITS
        ),
        *(Case(each.situation, edited(kata, each.changes), at_tier, each.tier) for each in module.UNNAMED),
        *(Case(name, edited(kata, changes), caught) for name, changes in module.NOT_IN_THE_CATALOGUE.items()),
    ]


def styles(kata: str) -> list[Case]:
    """Those of tests/correct/."""
    return _files("correct", kata, "accepted")


def wrong(kata: str) -> list[Case]:
    """Those of tests/wrong/."""
    return _files("wrong", kata, "rejected")


def mutated(kata: str) -> list[Case]:
    """Mutants of our solution: killed, or known to be equivalent."""
    return [
        Case(
            f"{each.operator}, line {each.line}: {each.change.before} -> {each.change.after}",
            each.source,
            frozenset({"equivalent" if (kata, each.change) in EQUIVALENT else "killed"}),
        )
        for each in mutants(kata)
    ]


PARTS: dict[str, Callable[[str], list[Case]]] = {
    "mistakes": mistakes,
    "styles": styles,
    "wrong": wrong,
    "mutants": mutated,
}


@cache
def cases(kata: str, part: str) -> tuple[Case, ...]:
    """The programs of one part."""
    return tuple(PARTS[part](kata))


def digest(kata: str, part: str) -> str:
    """Changes with any of the programs, comments left aside, and with what is wanted of them."""
    bare = str if part == "mutants" else _bare  # those are bare already, and many
    told = [f"{bare(case.source)}\0{sorted(case.wanted)}\0{case.tier}\0{case.sentence}" for case in cases(kata, part)]
    return hashlib.sha256("\0".join(told).encode()).hexdigest()[:12]


def said(case: Case, report: Report) -> frozenset[str]:
    """What can be said of a case after its report; nothing where the grader failed."""
    if report.outcome is Outcome.BROKEN:
        return frozenset()
    words = FULL if report.score == 100 else BELOW_100
    first = next((check for check in results(report) if check.verdict is Verdict.FAIL), None)
    if case.tier and case.tier == first_tier_that_fails(report):
        words |= {"at its tier"}
    if case.sentence and first and case.sentence == first.mistake:
        words |= {"named"}
    return words


def _bare(source: str) -> str:
    try:
        return normal(source)
    except SyntaxError:
        return source


def _files(folder: str, kata: str, wanted: str) -> list[Case]:
    paths = sorted((ROOT / "tests" / folder / kata).glob("*.py"))
    return [_read(path, wanted) for path in paths if path.stem != "__init__"]


def _read(path: Path, wanted: str) -> Case:
    return Case(path.stem, path.read_text(encoding="utf-8"), frozenset({wanted}))
