"""The docstring of a public function with three or more parameters says what each of them is.

Claims are left out: their docstring is the sentence that a report shows. So are methods without a docstring that
override one that has it, and functions that refer to another one: `arguments as of X`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ("attention", "subject")
"""The first parameter of a claim."""
REFERENCE = "arguments as of `"


class PublicFunction(NamedTuple):
    """A public function or method, with the docstring that speaks of its parameters."""

    place: str
    name: str
    is_method: bool
    parameters: list[str]
    docstring: str

    @property
    def is_claim(self) -> bool:
        return not self.is_method and self.parameters[0] in FIXTURES

    @property
    def missing(self) -> list[str]:
        _, _, args = self.docstring.partition("Args:\n")
        explained = re.findall(r"^ *([A-Za-z_]\w*): ", args, re.MULTILINE)
        return [] if REFERENCE in self.docstring else [name for name in self.parameters if name not in explained]


def documented(text: str, file: str, least: int = 3) -> list[PublicFunction]:
    """Those of a source that have this many parameters; a constructor's are explained by its class."""
    return [function for function in _functions(ast.parse(text), file) if len(function.parameters) >= least]


def _functions(within: ast.Module | ast.ClassDef, file: str) -> Iterator[PublicFunction]:
    for node in within.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _functions(node, file)
        if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
            is_method = isinstance(within, ast.ClassDef)
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            parameters = [name for name in names if not is_method or name not in ("self", "cls")]
            text = ast.get_docstring(within if node.name == "__init__" else node) or ""
            yield PublicFunction(f"{file}:{node.lineno} {node.name}", node.name, is_method, parameters, text)


def unexplained(functions: list[PublicFunction]) -> list[str]:
    """`grader/wire.py:12 pack: limits` for each that leaves out a parameter."""
    overridden = {function.name for function in functions if function.is_method and function.docstring}
    return [
        f"{function.place}: {', '.join(function.missing)}"
        for function in functions
        if function.missing
        and not function.is_claim
        and not (function.is_method and not function.docstring and function.name in overridden)
    ]


def test_every_parameter_of_a_function_with_three_is_explained() -> None:
    files = sorted((ROOT / "grader").rglob("*.py"))
    functions = [each for path in files for each in documented(path.read_text(), str(path.relative_to(ROOT)))]
    assert len(functions) > 100, "the walk found next to nothing"
    assert [] == unexplained(functions)


ARGS = '"""Joins.\n\n    Args:\n        a: first.\n        b: second.\n        c: third.\n    """'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(f"def join(a, b, c):\n    {ARGS}", [], id="explained"),
        pytest.param('def join(a, b, c):\n    """Joins."""', ["x.py:1 join: a, b, c"], id="no Args"),
        pytest.param("def join(a, b, c): ...", ["x.py:1 join: a, b, c"], id="no docstring"),
        pytest.param(f"def join(a, b, c, d):\n    {ARGS}", ["x.py:1 join: d"], id="one left out"),
        pytest.param(f"class A:\n  {ARGS}\n  def __init__(self, a, b, c): ...", [], id="a constructor"),
        pytest.param('def join(a, b, c):\n    """Arguments as of `x`; arguments as of `x`."""', [], id="a reference"),
        pytest.param('def it_holds(attention, draw, size):\n    """It holds."""', [], id="a claim"),
        pytest.param("def _join(a, b, c): ...", [], id="private"),
        pytest.param("def join(a, b): ...", [], id="two parameters"),
        pytest.param(
            f"class A:\n  def join(self, a, b, c):\n    {ARGS}\nclass B(A):\n  def join(self, a, b, c): ...",
            [],
            id="an override",
        ),
        pytest.param("class A:\n  def join(self, a, b, c): ...", ["x.py:2 join: a, b, c"], id="a method"),
    ],
)
def test_what_counts_as_explained(text: str, said: list[str]) -> None:
    assert said == unexplained(documented(text, "x.py"))
