"""Which kata a submission is for: by its metadata, its file's name, or the names that it defines."""

import ast
import re
import shlex
import warnings
from collections.abc import Iterator, Sequence

from grader.records import Contract, GraderError, Needed, Submission
from grader.submission.signature import Parameter, parameters, signature_problem

Signature = list[Parameter] | None
"""None: not known without running the code."""


def identify(submission: Submission, contracts: Sequence[Contract]) -> str:
    """The kata's name.

    The notebook's metadata decide first. A file's name decides next, unless names that the kata needs are
    absent while those of exactly one other kata are all there. The definitions decide last.

    Args:
        submission: as read.
        contracts: of all katas.

    Raises:
        GraderError: no kata fits, or several do; the message lists them.
    """
    by_name = {contract.kata: contract for contract in contracts}
    if submission.kata_hint in by_name:
        return str(submission.kata_hint)
    defined = _defined(submission)
    fitting = [contract.kata for contract in contracts if _fits(contract, defined)]
    named = _by_file_name(submission.path.stem, list(by_name))
    if named is not None and (named in fitting or len(fitting) != 1 or _has_names(by_name[named], defined)):
        return named
    if len(fitting) == 1:
        return fitting[0]
    raise GraderError(_cannot_tell(submission, defined, fitting, list(by_name)))


def _cannot_tell(submission: Submission, defined: dict[str, Signature], fitting: list[str], katas: list[str]) -> str:
    names = [name for name in defined if "." not in name]
    problem = (
        f"it defines what {' and '.join(fitting)} ask for"
        if fitting
        else f"it defines {', '.join(names[:8])}, which is no kata's set of names"
        if names
        else "it defines no function and no class"
    )
    candidates, example = fitting or katas, fitting[0] if fitting else "NAME"
    return (
        f"{submission.path.name} could not be matched with a kata: {problem}. "
        f"Candidates: {', '.join(candidates)}."
        f"\nName it: make grade KATA={example} SUBMISSION={shlex.quote(str(submission.path))}"
    )


def _by_file_name(stem: str, katas: Sequence[str]) -> str | None:
    """`scaffold (1)` and `my_scaffold` are for scaffold; of several names in it the longest is meant."""
    plain = re.sub(r"\W+", "_", stem.lower())
    contained = sorted((kata for kata in katas if kata in plain), key=len, reverse=True)
    return contained[0] if contained else None


def _asked(contract: Contract) -> list[Needed]:
    return [needed for needed in contract.needed if needed.supplied is None]


def _has_names(contract: Contract, defined: dict[str, Signature]) -> bool:
    return all(needed.name in defined for needed in _asked(contract) if "." not in needed.name)


def _fits(contract: Contract, defined: dict[str, Signature]) -> bool:
    for needed in _asked(contract):
        if needed.name not in defined:
            return False
        signature = defined[needed.name]
        if signature is not None and signature_problem(needed, signature):
            return False
    return True


def _defined(submission: Submission) -> dict[str, Signature]:
    """`MultiHeadAttention`, `MultiHeadAttention.forward`, ... with parameters; the last definition counts."""
    found: dict[str, Signature] = {}
    for cell in submission.cells:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(cell.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # the worker reports the cell; the others still count
        for statement in _statements(tree.body):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                found[statement.name] = parameters(statement.args)
            elif isinstance(statement, ast.ClassDef):
                found |= _members(statement, found)
            elif isinstance(statement, ast.Assign):
                found |= {target.id: None for target in statement.targets if isinstance(target, ast.Name)}
    return found


def _members(statement: ast.ClassDef, found: dict[str, Signature]) -> dict[str, Signature]:
    """The class and its methods, those that it inherits from classes of the same submission included."""
    bases = [base.id for base in statement.bases if isinstance(base, ast.Name)]
    inherited = [(name, base) for base in bases for name in found if name.startswith(f"{base}.")]
    members = {statement.name + name.removeprefix(base): found[name] for name, base in inherited}
    for method in _statements(statement.body):
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in method.decorator_list)
            members[f"{statement.name}.{method.name}"] = parameters(method.args)[0 if static else 1 :]
        elif isinstance(method, ast.Assign):
            members |= {f"{statement.name}.{t.id}": None for t in method.targets if isinstance(t, ast.Name)}
    return {statement.name: members.get(f"{statement.name}.__init__"), **members}


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body and of the `if`, `try` and `with` blocks in it."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _statements(statement.body)
            yield from _statements(getattr(statement, "orelse", []))
            for handler in getattr(statement, "handlers", []):
                yield from _statements(handler.body)
            yield from _statements(getattr(statement, "finalbody", []))
