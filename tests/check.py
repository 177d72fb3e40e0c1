"""`make check`: proves in 20 seconds that the repository is whole; each problem names the thing, then the repair."""

import ast
import atexit
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from grader import Grader, Request
from grader.checks.kata import Kata
from grader.katas import KATAS, ORDER
from grader.records import Outcome, Report, Verdict
from grader.stubs.markers import IN_THE_STUB
from grader.stubs.writer import check_all
from tests.grading import BY_NAME, ROOT, results, solution, summary

FULL = 100
FEW = 20
"""Points of code that is to be repaired, before it is."""
FILES_FOUND_BY_NAME = ("__init__.py", "__main__.py", "default_setting_overrides.json")
"""By Python, and the last one by JupyterLab."""
CACHE = "__pycache__"
OF_A_KATA = (
    "solutions/{}.py",
    "exercises/{}.py",
    "notebooks/{}.ipynb",
    "grader/katas/{}/__init__.py",
    "grader/katas/{}/contract.py",
    "grader/katas/{}/public.py",
    "grader/katas/{}/hidden.py",
    "tests/mistakes/{}.py",
)
"""What is hidden may be a folder `hidden/` in place of a file."""
FOLDERS = {
    "solutions": "*",
    "exercises": "*.py",
    "notebooks": "*.ipynb",
    "grader/katas": "[!_]*",
    "tests/mistakes": "[!_]*",
    "tests/correct": "*",
    "tests/wrong": "*",
}
"""Where every file or folder belongs to a kata, and what is looked at there."""


def no_file_is_missing_or_unknown() -> Iterator[str]:
    """Each kata has its files, and there is no other in their folders."""
    for name in ORDER:
        files, folder = _files_of(name), f"grader/katas/{name}/"
        missing = [file for file in files if not (ROOT / file).is_file()]
        repair = "write it (make stubs writes stubs), or take the name out of ORDER in grader/katas/__init__.py"
        yield from (f"{file} is missing: {repair}" for file in missing)
        own = {file.removeprefix(folder).partition("/")[0] for file in files if file.startswith(folder)} | {CACHE}
        others = sorted({path.name for path in (ROOT / folder).glob("*")} - own)
        yield from (f"{folder}{other} is no file of a kata: remove it" for other in others)
    for folder, pattern in FOLDERS.items():
        names = {path.stem for path in (ROOT / folder).glob(pattern) if path.suffix != ".bak" and path.name != CACHE}
        strangers = sorted(names - {*ORDER, "index"})
        yield from (f"{folder}/{name} is of no kata: remove it, or add {name} to ORDER" for name in strangers)


def _files_of(name: str) -> list[str]:
    files, hidden = [file.format(name) for file in OF_A_KATA], f"grader/katas/{name}/hidden"
    if not (ROOT / hidden / "__init__.py").is_file():
        return files
    return [f"{hidden}/__init__.py" if file == f"{hidden}.py" else file for file in files]


def no_file_of_the_grader_is_unused(root: Path = ROOT) -> Iterator[str]:
    """Each module of grader/ is imported, each other file there is named in one, each shared text in a solution."""
    files = sorted(path for path in (root / "grader").rglob("*") if path.is_file() and CACHE not in path.parts)
    modules = [path for path in files if path.suffix == ".py"]
    imported = set[str]().union(*map(_imported_by, [*modules, *(root / "tests").glob("*.py")]))
    texts = {path: _texts_of(path) for path in modules}
    named = imported.union(*texts.values())  # a program is named by its file or its module
    solutions = "\n".join(path.read_text(encoding="utf-8") for path in (root / "solutions").glob("*.py"))
    for path in files:
        place = path.relative_to(root)
        commands = texts.get(path.with_name("__init__.py"), set())  # names of files beside it
        if path.parent.name == "shared":
            if not re.search(rf"^# \{{{path.stem}\}}$", solutions, re.MULTILINE) or path.suffix != ".md":
                yield f"{place} is in no solution: remove it, or write {{{path.stem}}} in one"
        elif place.match("grader/katas/*/*") or path.name in FILES_FOUND_BY_NAME:
            continue
        elif not ({path.name, ".".join(place.with_suffix("").parts)} & named or path.stem in commands):
            yield f"{place} is used by no other file: remove it"


def _imported_by(path: Path) -> set[str]:
    imports = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Import | ast.ImportFrom)]
    beginnings = [f"{node.module}." if isinstance(node, ast.ImportFrom) else "" for node in imports]
    names = [{alias.name for alias in node.names} for node in imports]
    whole = {f"{begin}{name}" for begin, some in zip(beginnings, names, strict=True) for name in some}
    return whole | {begin.rstrip(".") for begin in beginnings}


def _texts_of(path: Path) -> set[str]:
    constants = (node.value for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


def points_add_up() -> Iterator[str]:
    """The points of each kata add up to 100, and no check is without any."""
    for kata in KATAS:
        points = [check.points for check in kata.checks]
        if sum(points) != FULL or min(points) < 1:
            yield f"{kata.name}: its {len(points)} checks have {sum(points)} points: mend its shares"
        names = [check.name for check in kata.checks]
        yield from (f"{kata.name}: two checks are named {name}" for name in sorted({*names}) if names.count(name) > 1)


def solutions_are_full() -> Iterator[str]:
    """Each solution has all points."""
    for kata, report in _reports("solutions"):
        if report.score != FULL:
            yield f"solutions/{kata.name}.py has {report.score} points: {summary(report)}"


def stubs_are_to_be_written() -> Iterator[str]:
    """Each stub loads and has no point: every check says that it is not written; code to repair has few."""
    for kata, report in _reports("exercises"):
        others = {check.verdict for check in results(report)} - {Verdict.TODO}
        as_it_should_be = not others and not report.score
        if IN_THE_STUB in solution(kata.name):
            as_it_should_be = not report.tiers[0].passed and report.score <= FEW
        if report.outcome is not Outcome.GRADED or not as_it_should_be:
            yield f"exercises/{kata.name}.py is no pristine stub (make reset KATA={kata.name}): {summary(report)}"


def _reports(folder: str) -> Iterator[tuple[Kata, Report]]:
    """Each kata with the report on its file there."""
    for report in _grader().reports(Request(path=ROOT / folder, seed=1)):
        yield BY_NAME[Path(report.submission).stem], report


@cache
def _grader() -> Grader:
    """Of two processes; it keeps no scores for the user."""
    state = TemporaryDirectory()
    atexit.register(state.cleanup)
    os.environ["XDG_STATE_HOME"] = state.name
    started = Grader(jobs=2)
    atexit.register(started.close)
    return started


def stubs_are_fresh() -> Iterator[str]:
    """exercises/ and notebooks/ are what solutions/ generate."""
    yield from check_all(ROOT, KATAS)


def pages_are_fresh() -> Iterator[str]:
    """The tables in README and docs are those of the registry."""
    from tests.readme_blocks import stale_tables

    yield from stale_tables()


def mistakes_are_named_apart() -> Iterator[str]:
    """No two mistakes of a kata have one name, and each has its sentence and its reason."""
    for kata in KATAS:
        yield from _mistakes(kata)


def _mistakes(kata: Kata) -> Iterator[str]:
    names = [mistake.name for mistake in kata.key.mistakes]
    yield from (f"{kata.name}: two mistakes are named {name}" for name in sorted({*names}) if names.count(name) > 1)
    for mistake in kata.key.mistakes:
        if not (mistake.sentence and mistake.why):
            yield f"{kata.name}: the mistake {mistake.name} lacks its sentence or its reason"


def floors_hold() -> Iterator[str]:
    """A file imports only files of lower floors."""
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        yield f"the floors of pyproject.toml are broken:\n{ran.stdout[ran.stdout.find('Broken contracts') :]}"


CHECKS: tuple[Callable[[], Iterator[str]], ...] = (
    no_file_is_missing_or_unknown,
    no_file_of_the_grader_is_unused,
    points_add_up,
    mistakes_are_named_apart,
    stubs_are_fresh,
    pages_are_fresh,
    floors_hold,
    solutions_are_full,
    stubs_are_to_be_written,
)


def main() -> int:
    """Runs all; prints a line for each, and below it what is wrong.

    Returns:
        The exit status: 0 where nothing is wrong, else 1.
    """
    wrong = False
    for check in CHECKS:
        began = time.monotonic()
        problems = list(check())
        wrong = wrong or bool(problems)
        claim = str(check.__doc__).rstrip(".")
        print(f"{'WRONG' if problems else 'ok':5}  {claim}  ({time.monotonic() - began:.1f} s)")
        for problem in problems:
            print(f"       {problem}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
