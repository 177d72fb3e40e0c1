"""What `make strength` grades: programs of which it is known what the grader has to say of them."""

import hashlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import NamedTuple

SILENT = "the check did not report"
from grader.records import Outcome, Report, Verdict
from tests.equivalent import EQUIVALENT
from tests.grading import BY_NAME, ROOT, first_tier_that_fails, results
from tests.mistakes import edited, told_by_values
from tests.mutants import mutants, normal
from tests.wrong_programs import wrong_programs

FULL = frozenset({"accepted", "equivalent"})
NOTHING: frozenset[str] = frozenset()
KILLED = frozenset({"killed"})
CAUGHT = frozenset({"killed", "caught"})
AT_ITS_TIER = frozenset({"at its tier", "rejected"})
ENDED = (Outcome.UNLOADABLE, Outcome.MEMORY, Outcome.CRASH)
"""What a mutant may do by itself. A timeout is none of it: that may be the machine's."""
REASONS = (Verdict.FAIL, Verdict.ERROR, Verdict.POLICY, Verdict.MEMORY, Verdict.CRASH)
SLIPS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError")
"""What a program raises that was put together wrongly: not the fault that it is here for."""


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
    sentences = {mistake.name: mistake.sentence for mistake in BY_NAME[kata].key.mistakes}
    caught, at_tier, unnamed = (frozenset({word}) for word in ("caught", "at its tier", "unnamed"))
    at_tier |= caught
    return [
        *(
            Case(each.mistake, edited(kata, each.changes), at_tier | {"named"}, each.tier, sentences[each.mistake])
            for each in module.EDITS
        ),
        *(
            Case(
                each.situation, edited(kata, each.changes), at_tier | (unnamed if each.numeric else NOTHING), each.tier
            )
            for each in module.UNNAMED
        ),
        *(Case(name, edited(kata, changes), caught | unnamed) for name, changes in module.NOT_IN_THE_CATALOGUE.items()),
    ]


def styles(kata: str) -> list[Case]:
    """Those of tests/correct/."""
    paths = sorted((ROOT / "tests" / "correct" / kata).glob("*.py"))
    return [Case(path.stem, path.read_text(encoding="utf-8"), frozenset({"accepted"})) for path in paths]


def wrong(kata: str) -> list[Case]:
    """Those of tests/wrong/: rejected where they were graded, and at their tier."""
    here = [program for program in wrong_programs() if program.kata == kata]
    return [Case(each.path.stem, each.source, frozenset({"rejected"}), each.tier) for each in here]


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
    """What can be said of a case after its report; nothing where it is the grader or the machine that failed.

    A mutant is killed by whatever it does, at loading too. Any other wrong program has to be graded.
    """
    if report.outcome is not Outcome.GRADED:
        return KILLED if report.outcome in ENDED else NOTHING
    if report.score == 100:
        return FULL
    reported = [check for check in results(report) if check.got != SILENT]  # one failure ends a run with STOP
    first = next((check for check in reported if check.verdict is not Verdict.PASS), None)
    if first is None or first.verdict not in REASONS:
        return NOTHING
    if any(f"raised {slip}" in (first.got or "") for slip in SLIPS):
        return KILLED
    words = CAUGHT
    if case.tier == first_tier_that_fails(report):
        words |= AT_ITS_TIER
    number = next((check for check in results(report) if check.verdict is Verdict.FAIL), first)
    if case.sentence and case.sentence == number.mistake:
        words |= {"named"}
    if told_by_values(first) and not any(check.mistake for check in results(report)):
        words |= {"unnamed"}
    return words


def _bare(source: str) -> str:
    try:
        return normal(source)
    except SyntaxError:
        return source
