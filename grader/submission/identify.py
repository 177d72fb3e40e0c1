"""Which kata a submission is for: by its metadata, its file's name, or the names that it defines."""

import ast
import difflib
import re
import shlex
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.records import Contract, GraderError, Needed, Submission
from grader.submission.names import listed, nearest
from grader.submission.signature import Parameter, parameters, signature_problem
from grader.submission.syntax import tree_of

Signature = list[Parameter] | None
"""None: not known without running the code."""
BLOCKS = ast.If | ast.For | ast.While | ast.Try | ast.TryStar | ast.With | ast.Match
DEFINITIONS = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
MOST_NAMES = 100
"""Defined names that a message considers."""


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


def identify(submission: Submission, contracts: Sequence[Contract]) -> str:
    """The kata's name.

    The notebook's metadata decide first. A file's name decides next, unless exactly one other kata fits, while names
    that its kata needs are absent or its name only contains the kata's. The definitions decide last. A kata fits
    where all its names are there with its signatures; where no kata's signatures are, those fit whose functions and
    classes are there. Of several that fit, one whose names stand in another one's definitions is a helper of that.

    Args:
        submission: as read.
        contracts: of all katas.

    Raises:
        GraderError: no kata fits, or several do; the message lists them.
    """
    by_name = {contract.kata: contract for contract in contracts}
    if submission.kata_hint in by_name:
        return str(submission.kata_hint)
    there = defined(submission)
    # A wrong signature is the judge's to tell, so it need not hide which kata is meant.
    fitting = [contract.kata for contract in contracts if _fits(contract, there)] or [
        contract.kata for contract in contracts if _has_names(contract, there)
    ]
    plain = re.sub(r"\W+", "_", submission.path.stem.lower())
    named = _by_file_name(plain, list(by_name))
    # `mha_module.py` may be for another kata, all of whose names and signatures it has; `module.py` is not.
    if named is not None:
        stays = named == plain and _has_names(by_name[named], there)
        if named in fitting or len(fitting) != 1 or stays:
            return named
    rivals = [by_name[kata] for kata in fitting]
    whole = [each.kata for each in rivals if not _is_helper(each, rivals, submission)]
    if len(whole) == 1:
        return whole[0]
    raise GraderError(_cannot_tell(submission, there, rivals, contracts))


def _cannot_tell(
    submission: Submission, defined: Definitions, fitting: list[Contract], contracts: Sequence[Contract]
) -> str:
    names = list(defined)[:MOST_NAMES]
    candidates, example = [contract.kata for contract in fitting or contracts], "NAME"
    if fitting:
        example, whole = candidates[0], listed(candidates)
        problem = f"it defines what {whole} ask for."
        if not any(_fits(contract, defined) for contract in fitting):
            shared = dict.fromkeys(name for contract in fitting for name in _top_names(contract))
            problem = f"it defines {listed([*shared])}, as {whole} ask, "
            problem += "but its source does not show the signatures of one of them."
    elif names:
        problem = f"it defines {', '.join(names[:8])}, which is no kata's set of names"
        problem += _meant(names, {name for contract in contracts for name in _top_names(contract)})
    else:
        problem = "it defines no function and no class."
    broken = next((cell.number for cell in submission.cells if tree_of(cell.source) is None), None)
    if broken is not None and not fitting:
        problem += f" Cell {broken} is no Python, and what it defines is not seen: correct it first."
    # Without what is not shown before it is quoted: to take an escape sequence out may take a quote with it.
    path = "".join(sign for sign in str(submission.path) if not unicodedata.category(sign).startswith("C"))
    return (
        f"{submission.path.name} could not be matched with a kata: {problem} "
        f"Candidates: {', '.join(candidates)}."
        f"\nName it: make grade KATA={example} SUBMISSION={shlex.quote(path)}"
    )


def _meant(names: Sequence[str], asked: set[str]) -> str:
    """The end of the sentence: the defined name that comes nearest to one that is asked for, if any does."""
    near = {name: nearest(name, sorted(asked - set(names))) for name in names}
    ratios = {name: difflib.SequenceMatcher(None, name, other).ratio() for name, other in near.items() if other}
    if not ratios:
        return "."
    best = max(ratios, key=ratios.__getitem__)
    return f"; for {best}, did you mean {near[best]}?"


def _by_file_name(plain: str, katas: Sequence[str]) -> str | None:
    """`scaffold_1` and `my_scaffold` are for scaffold; of several names in it the longest is meant."""
    contained = sorted((kata for kata in katas if kata in plain), key=len, reverse=True)
    return contained[0] if contained else None


def _is_helper(contract: Contract, fitting: Sequence[Contract], submission: Submission) -> bool:
    """Whether the definitions of another one that fits use its names: a class may have its attention as a function."""
    own = set(_top_names(contract))
    others = {name for other in fitting for name in _top_names(other)} - own
    statements = [statement for module in parsed(submission) for statement in _statements(module.body)]
    definitions = [each for each in statements if isinstance(each, DEFINITIONS) and each.name in others]
    return any(isinstance(node, ast.Name) and node.id in own for each in definitions for node in ast.walk(each))


def _asked(contract: Contract) -> list[Needed]:
    return [needed for needed in contract.needed if needed.supplied is None]


def _has_names(contract: Contract, defined: Definitions) -> bool:
    return all(name in defined for name in _top_names(contract))


def _top_names(contract: Contract) -> list[str]:
    return [needed.name for needed in _asked(contract) if "." not in needed.name]


def _fits(contract: Contract, defined: Definitions) -> bool:
    return all(_has(needed, defined) for needed in _asked(contract))


def _has(needed: Needed, defined: Definitions) -> bool:
    """It is defined, and with its signature where that can be told; a class has its constructor's."""
    top, _, member = needed.name.partition(".")
    there: Signature | Class | None = defined.get(top)
    if isinstance(there, Class):
        members = there.where(member or "__init__") or _put_in_later(member, defined)
        if member not in ("", "__init__", *members):  # a constructor may be made, as that of a dataclass
            return False
        there = members.get(member or "__init__")
    elif top not in defined or member:
        return False
    return there is None or not signature_problem(needed, there)


def _put_in_later(method: str, defined: Definitions) -> dict[str, Signature]:
    """A function that takes self, as a later cell puts it into a class: by setattr, or by a decorator."""
    match defined.get(method):
        case [Parameter(name="self"), *others]:
            return {method: others}
    return {}


def parsed(submission: Submission) -> Iterator[ast.Module]:
    """The cells that are Python."""
    trees = (tree_of(cell.source) for cell in submission.cells)
    return (tree for tree in trees if tree is not None)


def defined(submission: Submission) -> Definitions:
    """The functions, classes and variables at the top of a submission's cells."""
    found: Definitions = {}
    methods: dict[int, tuple[Signature, Signature]] = {}  # without self: one copy of a long one
    for tree in parsed(submission):
        for statement in _statements(tree.body):
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
                case _:
                    found |= _bound(statement, 0)
    return found


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
    for method in _statements(statement.body):
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


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
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
