"""Which modules a submission will import: the worker imports them before it locks itself in.

Read from the source, never run. A name that is put together at run time is not found; its import then fails as
that of a module that is not installed.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence

from grader.records import Cell
from grader.submission.syntax import tree_of

OURS = frozenset({"grader", "solutions", "exercises", "notebooks", "tests", "submission", "__main__"})
"""Names that are never imported: a submission must not see them, or they are no modules."""
ACTS = frozenset({"antigravity", "idlelib", "turtledemo", "test", "this"})
"""Modules of the standard library that do something when they are imported: open a window or a browser, print."""
MOST = 200
LONGEST = 200

SYMBOLIC = "torch.fx.experimental.symbolic_shapes"
LATE = {
    "numpy.random": "random",
    "numpy.ma": "unique",
    SYMBOLIC: "jacobian gradcheck jacrev vjp broadcast_shapes skip_init to_empty",
    "torch._dynamo": "checkpoint profiler",
    "torch._inductor.config": "use_deterministic_algorithms",
    "torch.distributed.tensor": "trace assert_close",
    "torch.profiler._cupti_monitor": "optim DataLoader",
    "einops._torch_specific": "einops",
    "matplotlib.backends.backend_agg": "pyplot seaborn",
}
"""Modules that torch 2.13, numpy, einops and matplotlib import at first use, with the words of a source that uses them.

Only those that common notebooks use beside an answer (docs/not-covered.md): if every worker imported them, that would
cost 0.3 to 1 s.
"""
WORDS = {word: [module for module in LATE if word in LATE[module].split()] for word in " ".join(LATE.values()).split()}


def imports(cells: Iterable[Cell]) -> tuple[str, ...]:
    """The modules to import, outer ones first, each once; at most `MOST`.

    Args:
        cells: the submission's cells; one that is no Python is left out.

    Returns:
        Dotted names of modules. `from a import b` gives `a` and `a:b`: `b` may be a module, if `a` defines
        nothing of that name; so may the `b` of `a.b`. `from a import *` gives `a:*`.
    """
    names = dict.fromkeys(name for cell in cells for name in _of(cell.source) if _wanted(name))
    return tuple(names)[:MOST]


def _of(source: str) -> list[str]:
    tree = tree_of(source)
    nodes = list(ast.walk(tree)) if tree else []
    names = [name for node in nodes for name in _named(node)]
    names += [module for node in nodes for word in _words(node) for module in WORDS.get(word, ())]
    return names + _parts(nodes)


def _parts(nodes: Sequence[ast.AST]) -> list[str]:
    """The attributes that are read of modules: `np.random` is imported when it is first asked for."""
    aliases = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named = [(a.name if a.asname else a.name.split(".")[0], a.asname) for a in aliases]
    # A longer name would be left out by `_wanted`, but only after it was copied for each attribute.
    modules = {other or name: name for name, other in named if len(name) <= LONGEST}
    parts = []
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in modules:
                parts.append(f"{modules[name]}:{attr}")
    return parts


def _named(node: ast.AST) -> Iterator[str]:
    """The modules that an import, `import_module("a.b")` or `__import__("a.b")` names, or that a call needs."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names, level=0) if len(module) <= LONGEST:
            yield module
            yield from (f"{module}:{alias.name}" for alias in names)
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield name
        case ast.Call(func=ast.Attribute(attr="backward"), args=args, keywords=keywords) if args or keywords:
            yield SYMBOLIC  # a gradient is given: torch compares its shape by that module
        case ast.Call(func=ast.Name(id="help")):
            yield "pydoc"


def _words(node: ast.AST) -> Sequence[str]:
    match node:
        case ast.Attribute(attr=word) | ast.keyword(arg=str(word)) | ast.Constant(value=str(word)):
            return (word,)
        case ast.ImportFrom(module=str(module), names=names):
            return [*module.split("."), *(alias.name for alias in names)]
        case ast.Import(names=names):
            return [part for alias in names for part in alias.name.split(".")]
    return ()


def _wanted(name: str) -> bool:
    parts = name.replace(":", ".").split(".")
    sound = len(name) <= LONGEST and all(part.isidentifier() or part == "*" for part in parts)
    return sound and parts[0] not in OURS | ACTS and "__main__" not in parts
