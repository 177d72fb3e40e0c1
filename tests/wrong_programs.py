"""The programs of tests/wrong/KATA/: each file stands after the kata's solution, whose names it may use."""

import ast
from pathlib import Path
from typing import NamedTuple

from tests.grading import ROOT, solution

FOLDER = ROOT / "tests" / "wrong"


class WrongProgram(NamedTuple):
    """A program that breaks the contract for some input that a user could give.

    Attributes:
        path: of the file.
        kata: that it is handed in for.
        tier: `TIER` of the file, the first that fails.
        fault: the file's docstring, which says what is wrong.
        source: what is graded, the solution first.
    """

    path: Path
    kata: str
    tier: str
    fault: str | None
    source: str

    @property
    def name(self) -> str:
        return f"{self.kata}/{self.path.stem}"


def wrong_programs() -> tuple[WrongProgram, ...]:
    """All of them, in the order of their paths."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*/*.py")))


def _read(path: Path) -> WrongProgram:
    text, kata = path.read_text(encoding="utf-8"), path.parent.name
    tree = ast.parse(text)
    statements = [statement for statement in tree.body if isinstance(statement, ast.Assign)]
    values = {ast.unparse(statement.targets[0]): statement.value for statement in statements}
    tier = str(ast.literal_eval(values["TIER"]))
    return WrongProgram(path, kata, tier, ast.get_docstring(tree), f"{solution(kata)}\n{text}")
