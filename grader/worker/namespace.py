"""The module that a submission's cells run in, and what they define."""

from __future__ import annotations
import __future__

import ast
import inspect
import io
import linecache
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType, NoneType
from typing import Any

import torch

from grader.worker.errors import clean

NAME = "submission"
MISSING = object()
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
PLAIN = frozenset({NoneType, bool, int, float, str, torch.dtype})
"""Types of defaults that are shown."""
POSTPONED = __future__.annotations.compiler_flag


class _Shell:
    """Stands in for what `get_ipython()` returns in a notebook: any method may be called, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def _display(*args: object, **kwargs: object) -> None:
    """Stands in for a notebook's `display`, and does nothing."""


class Namespace:
    """One module for all cells of one submission."""

    def __init__(self) -> None:
        self.module = ModuleType(NAME)
        self.module.__dict__.update(get_ipython=_Shell, display=_display)
        self.sources: set[str] = set()
        """The names that cells were compiled under."""
        self._postponed = 0
        """The flag of `from __future__ import annotations`; as in IPython it also holds for later cells."""
        self._absent: set[str] = set()
        """The names that failed imports would have bound: their libraries are not installed here."""
        if "IPython" in sys.modules:  # Spyder and VS Code write `from IPython import get_ipython` above all cells
            sys.modules["IPython"].get_ipython = _Shell  # type: ignore[attr-defined]  # it is a module
        # Dataclasses look their module up there. As `__name__` is "submission", demos behind a guard for `__main__` do
        # not run.
        sys.modules[NAME] = self.module

    def run(self, source: str, filename: str, cell: int | None) -> None:
        """Compiles one cell and runs it statement by statement: one that raises does not stop those after it.

        A library that is not installed here, a file that may not be written, a keyboard that nobody sits at,
        a command line that lacks what is asked for: none of them says anything about the definitions further down.

        Args:
            source: Python.
            filename: a name of its own for each cell, as tracebacks show it.
            cell: its number in a notebook; None for a file.

        Raises:
            BaseException: the first that was raised. A syntax error, and what is no `Exception` (`exit()`),
                end the cell; an exit with a status of failure does not.
        """
        self.sources.add(filename)
        # Without a modification time linecache never looks for the file. Lines are as Python counts them: for
        # str.splitlines a form feed or U+2028 ends one too.
        linecache.cache[filename] = (len(source), None, io.StringIO(source, newline=None).readlines(), filename)
        if cell is None and not filename.startswith("<"):
            self.module.__file__ = filename
        tree = compile(source, filename, "exec", self._postponed | ast.PyCF_ONLY_AST, dont_inherit=True)
        # As a whole first: `return` outside of a function is found before anything runs.
        self._postponed |= compile(tree, filename, "exec", self._postponed, dont_inherit=True).co_flags & POSTPONED
        first: BaseException | None = None
        for statement in tree.body if cell is None else _without_guards(tree.body):
            try:
                self._run(statement, filename)
            except BaseException as problem:
                first = problem if first is None else first
                if not isinstance(problem, Exception) and not _failed(problem):
                    break
        if first is not None:
            raise first

    def _run(self, statement: ast.stmt, filename: str) -> None:
        module = ast.Module([statement], [])
        try:
            self._execute(module, filename, self._postponed)
        except ImportError:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self._absent |= {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
            raise
        except NameError as problem:
            if problem.name not in self._absent or not isinstance(statement, DEFINITIONS | ast.AnnAssign):
                raise
            # A type hint or a decorator may be all that needs the library: the definition is judged without it.
            self._undecorate(statement)
            self._execute(module, filename, POSTPONED)

    def _undecorate(self, statement: ast.stmt) -> None:
        """Takes off, at any depth, the decorators that are of an absent library."""
        for node in ast.walk(statement):
            if isinstance(node, DEFINITIONS):
                node.decorator_list = [mark for mark in node.decorator_list if self._absent.isdisjoint(_names(mark))]

    def _execute(self, module: ast.Module, filename: str, flags: int) -> None:
        exec(compile(module, filename, "exec", flags, dont_inherit=True), self.module.__dict__)

    def find(self, path: str) -> Any:
        """What a dotted name stands for, or MISSING; nn.Module's placeholder for `forward` is missing too."""
        value: Any = self.module
        for part in path.split("."):
            value = getattr(value, part, MISSING)
            if value is MISSING or value is torch.nn.Module.forward:
                return MISSING
        return value

    def definitions(self, wanted: Sequence[str]) -> tuple[dict[str, dict[str, Any]], dict[str, BaseException]]:
        """`kind`, `type` and `signature` of each wanted name that exists, and what the look-up of others raised."""
        definitions, raised = {}, {}
        for path in wanted:
            try:
                value = self.find(path)
                if value is not MISSING:
                    definitions[path] = self._entry(path, value)
            except BaseException as problem:  # a property, a descriptor or a metaclass of the candidate's
                raised[path] = problem
        return definitions, raised

    def public_names(self) -> list[str]:
        """The public names that the submission itself defines."""
        # A key may be anything: globals()[3] = 4.
        names = [name for name in self.module.__dict__ if type(name) is str and not name.startswith("_")]
        return [clean(name, 200) for name in names if _is_own(self.module.__dict__.get(name))][:1000]

    def _entry(self, path: str, value: Any) -> dict[str, Any]:
        kind, signature = _kind(value), _signature(value)
        if "." in path and callable(value) and kind != "class":
            owner, name = path.rsplit(".", 1)
            kind = "method"
            static = inspect.getattr_static(self.find(owner), name, None)
            if inspect.isfunction(static):
                signature = _without_self(signature)
            elif not isinstance(static, classmethod | staticmethod):
                signature = None  # a descriptor such as partialmethod: what it gives an instance is not known
        return {"kind": kind, "type": clean(type(value).__name__, 200), "signature": signature}


def _names(node: ast.AST) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _is_own(value: Any) -> bool:
    try:
        return bool(getattr(value, "__module__", None) == NAME)
    except BaseException:  # a property of the candidate's
        return False


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "other"


def _without_guards(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Replaces each guard for `__main__` by its definitions and imports, as a notebook runs them, without the demo."""
    for statement in body:
        match statement:
            case ast.If(
                test=ast.Compare(ast.Name(id="__name__"), [ast.Eq()], [ast.Constant(value="__main__")]), body=body
            ):
                yield from (part for part in body if isinstance(part, DEFINITIONS | ast.Import | ast.ImportFrom))
            case _:
                yield statement


def _failed(problem: BaseException) -> bool:
    """Whether the exception is an exit with a status of failure; `exit()` means that all is done."""
    return isinstance(problem, SystemExit) and problem.code not in (None, 0)


def _signature(value: Any) -> list[list[Any]] | None:
    """`[name, kind, default]` for each parameter; None where Python knows no signature."""
    if not callable(value):
        return None
    try:
        # A decorator's own signature: what it wraps need not accept the calls that it accepts.
        parameters = list(inspect.signature(value, follow_wrapped=False).parameters.values())
    except (TypeError, ValueError):
        return None
    return [[clean(p.name, 200), p.kind.name, _default(p)] for p in parameters[:200]]


def _default(parameter: inspect.Parameter) -> str | None:
    """A default as Python writes it; `...` where it is no plain value, as its `repr` may be the candidate's code."""
    if parameter.default is parameter.empty:
        return None
    value = parameter.default
    try:
        return clean(repr(value), 40) if type(value) in PLAIN else "..."
    except ValueError:  # an int of more digits than Python writes
        return "..."


def _without_self(rows: list[list[Any]] | None) -> list[list[Any]] | None:
    return rows if not rows or rows[0][1] == "VAR_POSITIONAL" else rows[1:]
