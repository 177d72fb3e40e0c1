"""Whether a submission writes what a stub asks for, told without running either."""

import ast

from grader.records import Submission
from grader.submission.definitions import defined, parsed


def names_asked(stub: Submission) -> list[str]:
    """The functions and classes in which the stub raises NotImplementedError."""
    statements = [statement for module in parsed(stub) for statement in module.body]
    return [
        statement.name
        for statement in statements
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
        and any(isinstance(node, ast.Name) and node.id == "NotImplementedError" for node in ast.walk(statement))
    ]


def is_rewritten(submission: Submission, stub: Submission) -> bool:
    """Whether what the stub asks for is not the stub's any more; comments, scratch cells and prose do not count."""
    names = names_asked(stub)
    try:
        return _bindings(submission, names) != _bindings(stub, names)
    except RecursionError:  # an expression too long to be written out is none of the stub's
        return True


def is_answer(submission: Submission, stub: Submission) -> bool:
    """Whether it defines all that the stub asks for, and otherwise than the stub."""
    return set(names_asked(stub)) <= set(defined(submission)) and is_rewritten(submission, stub)


def _bindings(submission: Submission, names: list[str]) -> set[str]:
    """All that gives one of the names, or an attribute of it, a value: at any depth, written out."""
    nodes = [node for module in parsed(submission) for node in ast.walk(module)]
    return {ast.dump(node) for node in nodes if not _bound_by(node).isdisjoint(names)}


def _bound_by(node: ast.AST) -> set[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
            return {name}
        case ast.alias(name=name, asname=other):
            return {other or name}
    return set()
