"""Finds what an interviewer may want to read in a source: ways to the grader's own process that no answer needs.

The sandbox layers and the judge do not depend on it. It is for what they cannot decide: whether somebody who calls
machine code by ctypes got around the ban on operators. It goes by names, so it proves nothing and costs no points.
"""

import ast
from collections.abc import Iterable, Iterator
from itertools import islice

from grader.records import Cell
from grader.submission.syntax import tree_of

MODULES = frozenset(
    "ctypes _ctypes cffi grader torch.library torch.utils.cpp_extension torch.nn.attention.flex_attention".split()
)
"""Modules that are reported, with all that is in them."""
LAST = frozenset(module.rpartition(".")[2] for module in MODULES)
ATTRIBUTES = frozenset(
    "_getframe _current_frames currentframe f_back f_locals f_globals tb_frame gi_frame __closure__ __code__ "
    "__subclasses__ get_referrers unfreeze _dispatch_library _disable_current_modes _pop_mode_temporarily "
    "_scaled_dot_product_attention_math load_inline load_library getsource getsourcelines".split()
)
HARMLESS = frozenset({"custom_op", "register_autograd", "register_fake"})
"""Functions of torch.library that are not reported: an operator of one's own is no way to another one."""
COMPUTED = frozenset({"exec", "eval", "compile", "getattr", "__import__", "import_module"})
"""Functions whose argument is a name or a source: worth reading where it is put together."""
DEEPEST = max(module.count(".") for module in MODULES)
MOST = 6
LONGEST = 100
"""The most characters of a name that are shown: a long string may be one."""
MOST_PARTS = 200
"""The most parts of an argument that are looked at: arguments may be nested, each as long as the source."""


def suspects(cells: Iterable[Cell], file: str) -> str | None:
    """One sentence with the first places that are worth reading; None where there are none.

    Args:
        cells: the submission's cells.
        file: the name of its file, for a cell that has no number.
    """
    places = {}
    for cell in cells:
        where = file if cell.number is None else f"cell {cell.number}"
        for name, line in _of(cell.source):
            places.setdefault(name, f"{name[:LONGEST]} ({where}:{line})")
    shown = list(places.values())
    if not shown:
        return None
    more = f" and {len(shown) - MOST} more" if len(shown) > MOST else ""
    return f"worth reading, as no answer needs it: {', '.join(shown[:MOST])}{more}"


def _of(source: str) -> Iterator[tuple[str, int]]:
    nodes = list(ast.walk(tree)) if (tree := tree_of(source)) else []
    harmless = {id(part) for node in nodes for part in _harmless(node)}
    for node in nodes:
        for name in _named(node) if id(node) not in harmless else ():
            yield name, getattr(node, "lineno", 1)


def _harmless(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that are not reported in it: `"google.colab" in sys.modules` reaches for nothing."""
    match node:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[container]):
            yield container
        case ast.Attribute(attr=name, value=module) if name in HARMLESS:
            yield module
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython"))), args=args):
            yield from args  # a magic


def _named(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id="exec" | "eval" | "compile"), args=[ast.Constant(value=str(text)), *_]):
            yield from (name for name, _ in _of(text.lstrip(" \t")))  # shorter than what it stands in: recursion ends
        case ast.Import(names=names):
            yield from (alias.name for alias in names if _is_in(alias.name))
        case ast.ImportFrom(module=str(module), names=names, level=0):
            yield from (name for name in [module] if _is_in(name))
            inner = [alias.name for alias in names if alias.name in ATTRIBUTES or alias.name in LAST]
            full = (f"{module}.{name}" for name in dict.fromkeys(inner))
            yield from (name for name in full if name in MODULES or name.rpartition(".")[2] in ATTRIBUTES)
        case ast.Attribute(attr=name) if name in ATTRIBUTES:
            yield name
        case ast.Attribute():
            yield from (name for name in [_dotted(node)] if name in MODULES or name == "sys.modules")
        case ast.Constant(value=str(text)) if text in ATTRIBUTES or text.startswith("grader."):
            yield text
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in COMPUTED:
            position = 1 if name == "getattr" else 0
            if len(args) > position and _put_together(args[position]):
                yield f"{name} of a name put together"


def _is_in(name: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in MODULES)


def _dotted(node: ast.AST) -> str:
    """The name that an attribute spells, such as `torch.library`; empty for none, or for one longer than any sought."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < DEEPEST:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _put_together(node: ast.AST) -> bool:
    """Whether a name is put together of strings alone, to hide it: `"a" + "b"`, `"ab"[::-1]`; not `f"{name}_proj"`."""
    parts = list(islice(ast.walk(node), MOST_PARTS))
    made = isinstance(node, ast.BinOp | ast.JoinedStr | ast.Subscript | ast.Call)
    of_strings = any(isinstance(part, ast.Constant) and isinstance(part.value, str | bytes) for part in parts)
    return made and of_strings and not any(isinstance(part, ast.Name) for part in parts)
