"""What a submission defines, told from its source: classes with their members, functions with their signatures."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.records import Submission
from grader.submission.signature import Parameter, parameters
from grader.submission.syntax import tree_of

Signature = list[Parameter] | None
"""None: not known without running the code."""
BLOCKS = ast.If | ast.For | ast.While | ast.Try | ast.TryStar | ast.With | ast.Match
DEFINITIONS = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Class:
    """A class of a submission: its own members by name, and its bases of the same submission."""

    members: dict[str, Signature]
    bases: "tuple[Class, ...]"

    def where(self, name: str) -> dict[str, Signature]:
        """The members of the class that defines a name, itself or the nearest base; none do: empty."""
        left: list[Class] = [self]
        seen = {id(self)}
        for kind in left:  # which grows meanwhile
            if name in kind.members:
                return kind.members
            for base in kind.bases:
                if id(base) not in seen:
                    seen.add(id(base))
                    left.append(base)
        return {}


Definitions = dict[str, Signature | Class]
"""What a submission defines at its top, by name; the last definition counts."""


def parsed(submission: Submission) -> Iterator[ast.Module]:
    """The cells that are Python."""
    trees = (tree_of(cell.source) for cell in submission.cells)
    return (tree for tree in trees if tree is not None)


def defined(submission: Submission) -> Definitions:
    """The functions, classes and variables at the top of a submission's cells."""
    found: Definitions = {}
    methods: dict[int, tuple[Signature, Signature]] = {}  # without self: one copy of a long one
    for tree in parsed(submission):
        for statement in statements(tree.body):
            match statement:
                case ast.ClassDef(name=name):
                    found[name] = _class(statement, found)
                case ast.Assign(targets=[target], value=ast.Call(args=[first, *_])) if _same(target, first):
                    pass  # wrapped, as by a decorator
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)], value=value):
                    put = found.get(getattr(value, "id", ""))
                    given = methods.setdefault(id(put), (put, put[1:]))[1] if isinstance(put, list) else None
                    if isinstance(there := found.get(owner), Class):
                        there.members[name] = given
                case ast.Assign(targets=targets, value=ast.Name(id=other)) if isinstance(found.get(other), Class):
                    found |= {target.id: found[other] for target in targets if isinstance(target, ast.Name)}
                case ast.Assign(targets=targets, value=ast.Call(func=ast.Name(id=maker))) if isinstance(
                    kind := found.get(maker), Class
                ):
                    found |= {target.id: _called(kind) for target in targets if isinstance(target, ast.Name)}
                case _:
                    found |= _bound(statement, 0)
    return found


def _called(kind: Class) -> Signature:
    """How an object of a class is called: a layer that a demo makes may have the name that a kata's function has."""
    found = {name: members[name] for name in ("forward", "__call__") if (members := kind.where(name))}
    return found.get("__call__", found.get("forward"))


def _same(target: ast.expr, value: ast.expr) -> bool:
    """Whether what is assigned to is what is read: `f = timed(f)`, `Layer.forward = torch.compile(Layer.forward)`."""
    match target, value:
        case ast.Name(id=name), ast.Name(id=other):
            return name == other
        case ast.Attribute(ast.Name(id=owner), name), ast.Attribute(ast.Name(id=another), other):
            return (owner, name) == (another, other)
    return False


def _class(statement: ast.ClassDef, found: Definitions) -> Class:
    bases = [found.get(base.id) for base in statement.bases if isinstance(base, ast.Name)]
    bases += [found.get(statement.name)]  # what is left of an earlier version tells the kata too
    each_once = {id(base): base for base in bases if isinstance(base, Class)}
    members: dict[str, Signature] = {}
    for method in statements(statement.body):
        marks = getattr(method, "decorator_list", ())
        static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in marks)
        members |= _bound(method, 0 if static else 1)
    return Class(members, tuple(each_once.values()))


def _bound(statement: ast.stmt, first: int) -> dict[str, Signature]:
    """What a statement defines: a function with its parameters from the first that a caller gives, or variables."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return {statement.name: parameters(statement.args)[first:]}
    if isinstance(statement, ast.Assign):
        return {target.id: None for target in statement.targets if isinstance(target, ast.Name)}
    if isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
        return {statement.target.id: None}
    return {}


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body and of the blocks in it, such as `if` and `for`, in order. `elif` nests: no recursion."""
    left = [*reversed(body)]
    while left:
        statement = left.pop()
        yield statement
        if isinstance(statement, BLOCKS):
            parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
            bodies = [getattr(statement, field, ()) for field in ("body", "orelse")] + [part.body for part in parts]
            bodies.append(getattr(statement, "finalbody", ()))
            left += [inner for block in reversed(bodies) for inner in reversed(block)]
