"""The programs of which it is known what the grader has to say of them, and what it said, in a few words.

`edits`, `in words` and `without a name` are made by tests/mistakes/; `styles` are right programs, tests/correct/;
`wrong` are programs that break a contract, tests/wrong/. Mutants are in tests/mutants.py: they are many, and of each
it matters alone that some check fails.
"""

import hashlib
from functools import cache
from importlib import import_module
from typing import NamedTuple

from grader.judge import Options
from grader.records import Outcome, Report, Verdict
from grader.sandbox import Sandbox
from tests.grading import BY_NAME, ROOT, first_tier_that_fails, graded, names_in, not_installed, results, solution
from tests.mistakes import edited
from tests.mutants import normal

PARTS = ("edits", "in words", "without a name", "styles", "wrong")
SEED = 1
FULL = "100"
REASONS = (Verdict.FAIL, Verdict.ERROR, Verdict.POLICY, Verdict.MEMORY, Verdict.CRASH)
SLIPS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError")
"""What a program raises that was put together wrongly: not the fault that it is here for."""


class Program(NamedTuple):
    """A program that is graded.

    Attributes:
        name: says which it is among those of its kata and part.
        mistake: of the catalogue, that must be named.
        words: the name of the first check that must fail, what of it, and what it expected.
    """

    kata: str
    part: str
    name: str
    source: str
    mistake: str = ""
    words: tuple[str, str, str] | None = None

    @property
    def digest(self) -> str:
        """Changes with the program, comments and layout left aside, and with what must be said of it."""
        return _digest(self)


@cache
def _digest(program: Program) -> str:
    return hashlib.sha256(f"{normal(program.source)}\0{program.mistake}\0{program.words}".encode()).hexdigest()[:12]


@cache
def programs() -> tuple[Program, ...]:
    """All that can run here, by kata and part: a style may import what is not installed."""
    return tuple(program for kata in BY_NAME for program in (*_mistakes(kata), *_styles(kata), *_wrong(kata)))


def _mistakes(kata: str) -> list[Program]:
    file = import_module(f"tests.mistakes.{kata}")
    edits = [Program(kata, "edits", each.mistake, edited(kata, each.changes), each.mistake) for each in file.EDITS]
    in_words = [
        Program(
            kata,
            "in words",
            each.situation,
            edited(kata, each.changes),
            words=(each.check, each.what, each.expected),
        )
        for each in getattr(file, "IN_WORDS", ())
    ]
    unnamed = [
        Program(kata, "without a name", name, edited(kata, changes)) for name, changes in file.WITHOUT_A_NAME.items()
    ]
    return [*edits, *in_words, *unnamed]


def _styles(kata: str) -> list[Program]:
    paths = sorted((ROOT / "tests" / "correct" / kata).glob("*.py"))
    sources = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    return [Program(kata, "styles", name, source) for name, source in sources.items() if not not_installed(source)]


def _wrong(kata: str) -> list[Program]:
    """Each file stands after the kata's solution, whose names it may use."""
    paths = sorted((ROOT / "tests" / "wrong" / kata).glob("*.py"))
    return [
        Program(kata, "wrong", path.stem, f"{solution(kata)}\n{path.read_text(encoding='utf-8')}") for path in paths
    ]


def report_on(program: Program, seed: int = SEED, box: Sandbox | None = None) -> Report:
    return graded(program.kata, program.source, Options(seed), box)


def outcome(program: Program, report: Report) -> str:
    """What a report says, in a few words: `100`; or the first tier that fails, and what the first failure is named.

    Of a program of `wrong` the tier alone, for nothing is wanted of its name.

    In brackets it says nothing: the grader or the machine failed, or the program was put together wrongly.
    """
    if report.outcome is not Outcome.GRADED:
        return f"({report.outcome})"
    if report.score == 100:
        return FULL
    first = next(check for check in results(report) if check.verdict is not Verdict.PASS)
    if first.verdict not in REASONS:
        return f"({first.verdict})"
    if any(f"raised {slip}" in (first.got or "") for slip in SLIPS):
        return f"({first.got})"
    failures = [check for check in results(report) if check.verdict is Verdict.FAIL]
    failed = next(iter(failures), first)
    if program.mistake and not failed.mistake:  # where the first failure names none, a report shows the first that does
        failed = next((check for check in failures if check.mistake), failed)
    if program.part == "wrong":
        return str(first_tier_that_fails(report))
    named = " and ".join(names_in(report.kata, failed.mistakes))
    return f"{first_tier_that_fails(report)}: {named}" if named else str(first_tier_that_fails(report))


def wanted(program: Program, said: str) -> bool:
    """Whether this is what has to be said of the program, whatever the tier."""
    if program.part == "styles":
        return said == FULL
    if said == FULL or said.startswith("("):
        return False
    _, _, named = said.partition(": ")
    return program.part in ("wrong", "in words") or named == program.mistake
