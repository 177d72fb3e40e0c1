"""The attacks of tests/attacks/ as tables: what each says of itself, and `make attacks`, which tries all and compares.

The pages hold what the attacks say (`make readme`): tests/test_attacks.py proves it for each of them. A layer is
named where a worker behind it alone refuses the attack. Then each is switched off while all others stand, the policy
by allowing what it forbids: that shows what only this layer stops.
"""

import platform
import re
import sys
import tempfile
from collections import Counter
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from grader.judge import Options, report_of
from grader.records import GraderError, Submission
from grader.sandbox import Sandbox
from grader.submission import identify, read_path
from tests.attack_tools import (
    HANDED_IN,
    IS_ROOT,
    KERNEL_LAYERS,
    LIMITS,
    SEED,
    Attack,
    attacks,
    control,
    graded,
    loaded,
    module,
    new_surroundings,
    shown,
    without,
)
from tests.grading import BY_NAME
from tests.leftovers import files

COLUMNS = (
    "attack",
    "what it tries",
    "its code is worth",
    "verdict",
    "stopped by",
    "refused by, alone",
    "with one off",
)
STOPPED_BY = {
    "seccomp": "the filter of system calls",
    "landlock": "no file by its path",
    "limits": "limits on memory, time and files",
    "privileges": "no capability, not root",
    "process": "a process of its own, which ends with all that it changed",
    "judge": "values alone count, compared in another process",
    "wire": "frames checked by size, shape and number before they are used",
    "policy": "the operators are gone before the submission is loaded",
    "reader": "a file is read, never run, and only a regular one",
}


class Row(NamedTuple):
    """One line of the table."""

    attack: str
    tries: str
    worth: str
    verdict: str
    stopped_by: str
    alone: str
    one_off: str
    """For each layer that can be switched off: what refuses it with that one off and all others on."""


def declared(tried: Attack) -> Row:
    """What an attack says of itself."""
    verdict = ", ".join(sorted(tried.VERDICTS)) or tried.OUTCOME
    alone = [layer for layer in KERNEL_LAYERS if layer in tried.REFUSAL]
    return _row(tried, verdict, alone, {layer: tried.refused_still(layer) for layer in tried.switched})


def handed_in() -> list[Row]:
    """The attacks that are files, folders and what lies beside them."""
    rows = []
    for name in HANDED_IN:
        refused = hasattr(module(name), "REFUSED")
        tries = _plain(" ".join(str(module(name).__doc__).split()))
        worth = "0" if refused else str(control(name).honest)
        verdict = "refused" if refused else "graded"
        rows.append(Row(name.replace("_", " "), tries, worth, verdict, "reader", "", ""))
    return rows


def all_rows() -> list[Row]:
    """All of them, as they say of themselves."""
    return [*map(declared, attacks()), *handed_in()]


def summary() -> list[tuple[str, str, int]]:
    """What stops how many."""
    count = Counter(row.stopped_by for row in all_rows())
    return [(layer, what, count[layer]) for layer, what in STOPPED_BY.items() if count[layer]]


def by_layer() -> list[tuple[str, int, int, int]]:
    """Of each layer that can be switched off: what it refuses, what works without it, what others refuse then."""
    left = {
        layer: [tried.refused_still(layer) for tried in attacks() if layer in tried.switched]
        for layer in (*KERNEL_LAYERS, "policy")
    }
    return [(layer, len(others), others.count(""), len(others) - others.count("")) for layer, others in left.items()]


def still_open() -> dict[str, str]:
    """Those that gain something, and what is missing against each."""
    return {tried.name.replace("_", " "): tried.OPEN for tried in attacks() if tried.OPEN}


def main() -> int:
    """Tries them, prints the table of what was seen; 1 where an attack does other than it says."""
    if not sys.platform.startswith("linux"):
        raise GraderError("The table of attacks is made on Linux, whose layers it shows: run it there.")
    print(" | ".join(COLUMNS))
    odd = []
    with Sandbox(LIMITS) as box:
        for tried in attacks():
            if tried.MACHINE in ("", platform.machine()):
                row, as_declared = seen(tried, box)
                print(" | ".join(row), flush=True)
                odd += [] if as_declared else [tried.name]
        for recorded in handed_in():
            with tempfile.TemporaryDirectory() as name:
                try:
                    row, problems = seen_handed_in(recorded, Path(name), box)
                except PermissionError:
                    row, problems = recorded._replace(verdict="not tried: only root can make that kind of file"), []
            print(" | ".join(row), flush=True)
            odd += [recorded.attack] if problems else []
    print(f"\nOther than declared: {', '.join(odd)}." if odd else "\nEach does what it says of itself.")
    return 1 if odd else 0


def seen(tried: Attack, box: Sandbox) -> tuple[Row, bool]:
    """What comes of it now, and whether that is what it says."""
    try:
        with new_surroundings() as around:
            report = graded(tried, box, around)
    except Exception as problem:  # the table is to show it, and the next attack is to be tried
        return _row(tried, f"the grader failed: {problem}", [], {}), False
    alone = []
    for layer in KERNEL_LAYERS if tried.REFUSAL else ():
        with new_surroundings() as around:
            if loaded(tried, box, around, set(KERNEL_LAYERS) - {layer}).got is None:
                alone.append(layer)
    verdicts = {str(check.verdict) for tier in report.tiers for check in tier.checks} - {"pass", "fail", "skip"}
    one_off = {}
    for layer in tried.switched:
        got, problem = without(layer, tried, box)
        one_off[layer] = "" if got is not None else tried.refused_still(layer) or problem
    row, recorded = _row(tried, ", ".join(sorted(verdicts)) or str(report.outcome), alone, one_off), declared(tried)
    same = row.verdict == recorded.verdict and set(tried.refusers) <= set(alone)
    # What only root can do is refused to others without any layer.
    same = same and (row.one_off == recorded.one_off or not IS_ROOT)
    return row, bool(tried.OPEN) or (same and report.score <= tried.honest)


def seen_handed_in(recorded: Row, folder: Path, box: Sandbox) -> tuple[Row, list[str]]:
    """What comes of one of `handed_in` now, and what of it is other than it says.

    Args:
        recorded: its row.
        folder: an empty one, for what it makes; the grader then stands in it.
        box: to grade in.

    Raises:
        PermissionError: only root can make that kind of file.
    """
    name = recorded.attack.replace(" ", "_")
    tried = module(name)
    path = tried.make(folder, control(name).source)
    before = files(folder)
    problems = []
    with chdir(folder):
        try:
            submission = _read(path)
            kata = BY_NAME[identify(submission, [each.contract for each in BY_NAME.values()])]
            report = report_of(submission, kata, Options(seed=SEED), box)
            verdict = str(report.outcome)
            problems += [f"scored {report.score}"] if str(report.score) != recorded.worth else []
            problems += ["shows escape codes"] if {"\x1b", "\u202e"} & set(shown(report)) else []
        except GraderError as refusal:
            verdict = "refused"
            problems += [str(refusal)] if not re.search(getattr(tried, "REFUSED", "$^"), str(refusal)) else []
        except Exception as problem:  # as in `seen`
            verdict = f"the grader failed: {problem}"
    problems += [f"{verdict}, not {recorded.verdict}"] if verdict != recorded.verdict else []
    problems += ["changed files"] if before != files(folder) else []
    return recorded._replace(verdict=verdict), problems


def _read(path: Path) -> Submission:
    """As the command line reads it; of a zip file the only submission in it."""
    file, *others = read_path(path, None).files
    assert not any(other.submission for other in others)
    if file.submission is None:
        raise file.failure or GraderError(str(file.problem))
    return file.submission


def _row(tried: Attack, verdict: str, alone: list[str], one_off: dict[str, str]) -> Row:
    name = tried.name.replace("_", " ") + (" (open)" if tried.OPEN else "")
    left = "; ".join(f"{layer} off: {others or 'succeeds'}" for layer, others in one_off.items())
    return Row(name, _plain(tried.tries), str(tried.honest), verdict, tried.LAYER, ", ".join(alone), left)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, in a cell."""
    return text.replace("|", "/").replace("<", "&lt;").replace("__", r"\_\_")


if __name__ == "__main__":
    sys.exit(main())
