"""What the source of a submission defines, told without running it: a hint, to pick the kata by.

The worker says what a submission really has (grader/judge/contract_names.py).
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from grader.records import Cell, Definition
from grader.submission.signature import parameters, parse, write_signature
from grader.submission.syntax import trees_of

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = ast.If | ast.For | ast.While | ast.Try | ast.TryStar | ast.With | ast.Match


def definitions(cells: Iterable[Cell]) -> tuple[Definition, ...]:
    """The functions, classes with their methods, and variables at the top level; of one name the last one counts.

    A class has the methods of its bases that stand above it, as `Base.forward` becomes `Layer.forward`.
    """
    by_name: dict[str, Definition] = {}
    bound: dict[str, list[str]] = {}
    for tree in trees_of(cells):
        for statement in _statements(tree.body):
            for name, kind in _bound(statement):
                bound.setdefault(name.partition(".")[0], []).append(ast.dump(statement))
                by_name |= {each.name: each for each in _named_anew(statement, name, by_name)}
                by_name.setdefault(name, Definition(name, kind))  # after `f = timed(f)`, `f` keeps its definition
            if isinstance(statement, ast.ClassDef):
                by_name |= _class(statement, by_name)
            elif isinstance(statement, FUNCTIONS):
                by_name[statement.name] = _defined(statement.name, "function", statement)
    digests = {name: hashlib.sha256("\0".join(texts).encode("utf-8", "replace")) for name, texts in bound.items()}
    return tuple(
        Definition(each.name, each.kind, each.signature, each.uses, each.is_todo, digests[top].hexdigest())
        for each in by_name.values()
        for top in [each.name.partition(".")[0]]
    )


def _class(statement: ast.ClassDef, by_name: dict[str, Definition]) -> dict[str, Definition]:
    own, bases = statement.name, [base.id for base in statement.bases if isinstance(base, ast.Name)]
    members: dict[str, Definition] = {}
    for base in reversed(bases):
        for each in [each for name, each in by_name.items() if name.startswith(f"{base}.")]:
            name = f"{own}.{each.name.partition('.')[2]}"
            members[name] = Definition(name, each.kind, each.signature)
    for method in _statements(statement.body):
        if isinstance(method, FUNCTIONS):
            members[f"{own}.{method.name}"] = _defined(f"{own}.{method.name}", "method", method)
    return {own: _defined(own, "class", statement), **members}


def _named_anew(statement: ast.stmt, name: str, by_name: dict[str, Definition]) -> list[Definition]:
    """What `Layer = Attention` and `Layer.forward = attend` give another name."""
    match statement:
        case ast.Assign(value=ast.Name(id=other)) if other in by_name and "." in name:
            return [replace(by_name[other], name=name, kind="method", signature=without_self(by_name[other].signature))]
        case ast.Assign(value=ast.Name(id=other)) if other in by_name:
            whole = [each for each in by_name.values() if each.name == other or each.name.startswith(f"{other}.")]
            return [replace(each, name=name + each.name.removeprefix(other)) for each in whole]
    return []


def without_self(signature: str | None) -> str | None:
    """The signature that a function has as a method: without the first parameter."""
    return signature and write_signature(parse(signature)[1:])


def _defined(name: str, kind: str, statement: ast.stmt) -> Definition:
    uses = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    signature = None
    if isinstance(statement, FUNCTIONS):
        static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in statement.decorator_list)
        own = parameters(statement.args)
        signature = write_signature(own[1:] if kind == "method" and not static else own)
    return Definition(name, kind, signature, tuple(sorted(uses)), "NotImplementedError" in uses)


def _bound(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that a statement gives a value, each with its kind: also `Layer.forward = attend`."""
    match statement:
        case ast.ClassDef(name=name):
            yield name, "class"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, "function"
        case ast.Assign(targets=targets):
            yield from (name for target in targets for name in _target(target))
        case ast.AnnAssign(target=target, value=ast.expr()):
            yield from _target(target)


def _target(target: ast.expr) -> Iterator[tuple[str, str]]:
    match target:
        case ast.Name(id=name):
            yield name, "other"
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            yield f"{owner}.{name}", "method"


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body and of its blocks, such as `if` and `for`, in order; without recursion, as `elif` nests."""
    left = [*reversed(body)]
    while left:
        statement = left.pop()
        yield statement
        if isinstance(statement, BLOCKS):
            parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
            bodies = [getattr(statement, field, ()) for field in ("body", "orelse")] + [part.body for part in parts]
            bodies.append(getattr(statement, "finalbody", ()))
            left += [inner for block in reversed(bodies) for inner in reversed(block)]
