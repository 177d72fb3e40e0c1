"""`make attacks`: every trick of tests/hostile/ is tried, and the table says what came of it and which wall it met.

A wall is named where a worker behind it alone refuses the trick; the others let it through. The walls of the kernel
are switched off in workers of this run only.
"""

import platform
import sys
from typing import NamedTuple

from grader.records import GraderError, Report
from grader.sandbox import Sandbox
from tests.hostile_tools import KERNEL_WALLS, LIMITS, Trick, graded, loaded, surroundings_for, tricks

COLUMNS = ("trick", "what it tries", "its code is worth", "score", "verdict", "stopped by", "refused by, alone")


class Attack(NamedTuple):
    """One trick and what came of it."""

    trick: Trick
    report: Report | None
    """None: the grader itself failed on it."""
    alone: tuple[str, ...]
    """The walls of the kernel behind each of which, alone, it gets nothing."""

    @property
    def gained(self) -> bool:
        """Whether it got a point more than its code is worth."""
        if self.report is None:
            return False
        return self.report.score > (self.trick.honest if self.trick.BELOW is None else self.trick.BELOW - 1)


def attack(tried: Trick, box: Sandbox) -> Attack:
    """Tries one."""
    try:
        with surroundings_for(box) as around:
            report = graded(tried, box, around)
    except Exception as problem:  # the table is to show it, and the next trick is to be tried
        sys.stderr.write(f"{tried.name}: the grader failed: {problem}\n")
        report = None
    alone = []
    for wall in KERNEL_WALLS if tried.REFUSAL else ():
        with surroundings_for(box) as around:
            if loaded(tried, box, around, set(KERNEL_WALLS) - {wall}).got is None:
                alone.append(wall)
    return Attack(tried, report, tuple(alone))


def attacks() -> list[Attack]:
    """All of them, in one sandbox.

    Raises:
        GraderError: this is no Linux, and has no walls to show.
    """
    if not sys.platform.startswith("linux"):
        raise GraderError("The table of attacks is made on Linux, whose walls it shows: run it there.")
    with Sandbox(LIMITS) as box:
        return [attack(each, box) for each in tricks() if each.MACHINE in ("", platform.machine())]


def attack_table() -> str:
    """The table in Markdown, a trick in a line, and one line of totals."""
    done = attacks()
    rows = [COLUMNS, tuple("---" for _ in COLUMNS), *map(_row, done)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    gained = [each.trick.name for each in done if each.gained]
    total = f"{len(done)} tricks; {len(gained)} got a point more than their code is worth"
    return "\n".join([*lines, "", total + (f": {', '.join(gained)}." if gained else ".")])


def _row(done: Attack) -> tuple[str, ...]:
    tried, report = done.trick, done.report
    worth = str(tried.honest) if tried.BELOW is None else f"below {tried.BELOW}"
    verdict = "the grader failed" if report is None else str(report.outcome)
    if report is not None and verdict == "graded":
        verdicts = {str(check.verdict) for tier in report.tiers for check in tier.checks} - {"pass", "fail"}
        verdict = ", ".join(sorted(verdicts)) or "graded"
    name = tried.name.replace("_", " ") + (" (open)" if tried.OPEN else "")
    score = "" if report is None else str(report.score)
    tries = tried.tries.replace("|", "/").replace("<", "&lt;").replace("__", r"\_\_")
    return (name, tries, worth, score, verdict, tried.WALL, ", ".join(done.alone))


if __name__ == "__main__":
    print(attack_table())
