"""Does a submission's signature accept every call that the contract allows, by name or at least by position?"""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from grader.listing import listed
from grader.records import RequiredName

POSITIONAL = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
VARIADIC = ("VAR_POSITIONAL", "VAR_KEYWORD")


class Parameter(NamedTuple):
    """One parameter; `kind` is the name of an `inspect` kind."""

    name: str
    kind: str
    default: str | None
    """As Python writes it, `...` where it is no plain value; None: there is none."""


class Renaming(NamedTuple):
    """The other names that a submission gives the parameters of a function or class of the contract.

    The submission's can be called by position, or by these names.
    """

    name: str
    """`multi_head_attention`, or `MultiHeadAttention.forward`."""
    parameters: tuple[tuple[str, str], ...]
    """For each parameter of another name, in order: the contract's name, the submission's."""


def signature_problem(needed: RequiredName, got: Sequence[Parameter]) -> str | None:
    """Compare a contract's signature with a submission's.

    Each parameter of the contract must be there by position and with a default as in the contract, those after `*` by
    name; additional parameters need defaults; `*args` and `**kwargs` may stand in for what they accept.

    Args:
        needed: a name of the contract. Any signature is right where the contract gives none, and for a class that is
            given, whose calls show it.
        got: the submission's parameters without `self`.

    Returns:
        A sentence, or None where every call of the contract is accepted, maybe by position alone (`renaming`). The
        sentence names the missing or extra parameters, or the missing defaults, where that is all that is wrong, else
        it has both signatures.
    """
    is_given = needed.kind == "class" and needed.supplied is not None
    if needed.signature is None or is_given or accepts(needed, got) or renaming(needed, got):
        return None
    wanted = {parameter.name: parameter for parameter in parse(needed.signature)}
    own = {parameter.name for parameter in got}
    missing = [parameter for name, parameter in wanted.items() if name not in own]
    if missing and _accepts([parameter for name, parameter in wanted.items() if name in own], got):
        return f"{needed.name} has no {_listed(missing)}"
    required = [parameter for parameter in got if parameter.default is None]
    strange = [parameter for parameter in required if parameter.name not in wanted]
    if strange and _accepts([*wanted.values()], [parameter for parameter in got if parameter not in strange]):
        return f"{needed.name} has the {_listed(strange)} with no default, which the contract does not have"
    optional = [wanted[each.name] for each in required if each.name in wanted and wanted[each.name].default]
    names = {parameter.name for parameter in optional}
    mended = [have._replace(default="...") if have.name in names else have for have in got]
    if optional and _accepts([*wanted.values()], mended):
        return f"{needed.name} has no default for {_listed(optional)}"
    return f"{needed.name} has the signature {write_signature(got)}; expected {needed.signature}"


def accepts(needed: RequiredName, got: Sequence[Parameter]) -> bool:
    """Whether every call of the contract is accepted as the contract writes it, by position and by name."""
    return needed.signature is None or _accepts(parse(needed.signature), got)


def renaming(needed: RequiredName, got: Sequence[Parameter]) -> Renaming | None:
    """The other names that a submission gives the parameters, where names are all that differs.

    Each keyword-only parameter of the contract that the submission does not have is paired with the submission's next
    parameter that neither its name nor its position explains.

    Args:
        needed: a name of the contract.
        got: the submission's parameters without `self`.

    Returns:
        The names, or None where they are the contract's, or where more than names differs: a parameter with the
        contract's name for another position is in another order.
    """
    if needed.signature is None or accepts(needed, got):
        return None
    wanted = parse(needed.signature)
    places = list(zip(_positional(wanted), _positional(got), strict=False))
    taken = {parameter.name for parameter in wanted} & {parameter.name for parameter in got}
    by_name = [want for want in wanted if want.kind == "KEYWORD_ONLY" and want.name not in taken]
    explained = taken | {have.name for _, have in places}
    left = [have for have in got if have.name not in explained and have.kind not in VARIADIC]
    pairs = [*places, *zip(by_name, left, strict=False)]
    names = {have.name: want.name for want, have in pairs if want.name != have.name}
    if not names or not taken.isdisjoint([*names, *names.values()]):
        return None
    if not _accepts(wanted, [have._replace(name=names.get(have.name, have.name)) for have in got]):
        return None
    return Renaming(needed.name, tuple((want, have) for have, want in names.items()))


def other_defaults(needed: RequiredName, got: Sequence[Parameter]) -> list[str]:
    """A sentence for each parameter of the contract's name whose default is another value than the contract's.

    Args:
        needed: a name of the contract.
        got: the submission's parameters without `self`.
    """
    own = {parameter.name: parameter.default for parameter in got}
    pairs = [(want.name, want.default, own.get(want.name)) for want in parse(needed.signature or "()")]
    return [
        f"the default of {name} in {needed.name} is {have}, and {want} in the contract"
        for name, want, have in pairs
        if want is not None and have not in (None, "...") and not _equal(want, have)
    ]


def _equal(want: str, have: str) -> bool:
    """Whether two defaults are equal as values: 0 is 0.0."""
    try:
        return bool(ast.literal_eval(want) == ast.literal_eval(have))
    except ValueError:  # inf and nan, as Python writes them, are names
        return want == have


def parse(signature: str) -> list[Parameter]:
    """The parameters of a signature as Python writes it: `(x, kv=None, *, need_weights=False) -> Tensor`."""
    function = ast.parse(f"def _{signature}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    return parameters(function.args)


def parameters(arguments: ast.arguments) -> list[Parameter]:
    """The parameters in a syntax tree, with the names that `inspect` gives their kinds."""
    positional = [(arg.arg, "POSITIONAL_ONLY") for arg in arguments.posonlyargs]
    positional += [(arg.arg, "POSITIONAL_OR_KEYWORD") for arg in arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [*map(_default, arguments.defaults)]
    all_parameters = [
        Parameter(name, kind, default) for (name, kind), default in zip(positional, defaults, strict=True)
    ]
    if arguments.vararg:
        all_parameters.append(Parameter(arguments.vararg.arg, "VAR_POSITIONAL", None))
    for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        all_parameters.append(Parameter(arg.arg, "KEYWORD_ONLY", None if default is None else _default(default)))
    if arguments.kwarg:
        all_parameters.append(Parameter(arguments.kwarg.arg, "VAR_KEYWORD", None))
    return all_parameters


def write_signature(signature: Sequence[Parameter]) -> str:
    """A signature as Python writes it."""
    parts, before, starred = [], "", False
    for parameter in signature:
        if parameter.kind != "POSITIONAL_ONLY" and before == "POSITIONAL_ONLY":
            parts.append("/")
        if parameter.kind == "KEYWORD_ONLY" and not starred:
            parts.append("*")
        before, starred = parameter.kind, starred or parameter.kind in ("VAR_POSITIONAL", "KEYWORD_ONLY")
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind, "")
        parts.append(stars + _written(parameter))
    if signature and signature[-1].kind == "POSITIONAL_ONLY":
        parts.append("/")
    return f"({', '.join(parts)})"


def _written(parameter: Parameter) -> str:
    return parameter.name if parameter.default is None else f"{parameter.name}={parameter.default}"


def _listed(parameters: Sequence[Parameter]) -> str:
    """ "parameter `q`", "parameters `q` and `mask=None`"."""
    names = listed(f"`{_written(parameter)}`" for parameter in parameters)
    return f"parameters {names}" if len(parameters) > 1 else f"parameter {names}"


def _default(value: ast.expr) -> str:
    """A default as it is written, where that is short for sure, else `...`: a deep tree is not walked."""
    match value:
        case ast.Constant() | ast.Name() | ast.UnaryOp(operand=ast.Constant()) | ast.Attribute(value=ast.Name()):
            return ast.unparse(value)
    return "..."


def _positional(parameters: Sequence[Parameter]) -> list[Parameter]:
    return [parameter for parameter in parameters if parameter.kind in POSITIONAL]


def _accepts(wanted: Sequence[Parameter], have: Sequence[Parameter]) -> bool:
    positional = _positional(have)
    named = {parameter.name: parameter for parameter in have if parameter.kind not in ("POSITIONAL_ONLY", *VARIADIC)}
    has_args = any(parameter.kind == "VAR_POSITIONAL" for parameter in have)
    has_kwargs = any(parameter.kind == "VAR_KEYWORD" for parameter in have)

    used = set()
    for place, want in enumerate(parameter for parameter in wanted if parameter.kind not in VARIADIC):
        match = named.get(want.name)
        if want.kind in POSITIONAL and place < len(positional):
            match = positional[place]
            if match.name != want.name and want.kind != "POSITIONAL_ONLY":
                return False
            if match.kind == "POSITIONAL_ONLY" and want.kind != "POSITIONAL_ONLY":
                return False
        elif (want.kind in POSITIONAL and not has_args) or (match is None and not has_kwargs):
            return False
        if match is not None:
            used.add(match.name)
            if want.default is not None and match.default is None:
                return False
    return all(p.default is not None or p.name in used or p.kind in VARIADIC for p in have)
