"""Which names a cell binds and which it needs, told from its source: so cells that belong together are found."""

import ast
import symtable
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from grader.submission.syntax import tree_of

DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class CellNames(NamedTuple):
    """The global names that one cell binds and uses."""

    bound: frozenset[str] = frozenset()
    """Names that are given a value, or changed: `Layer.forward = attend` changes `Layer`."""
    defined: frozenset[str] = frozenset()
    """The functions and classes that the cell defines."""
    at_once: frozenset[str] = frozenset()
    """Names that are looked up while the cell runs: a base class, a decorator, a default."""
    used: frozenset[str] = frozenset()
    """Names that are looked up then or later, in the body of a function."""


def cell_names_of(source: str) -> CellNames:
    """The names of a cell; none where it is no Python."""
    tree = tree_of(source)
    try:
        table = symtable.symtable(source, "cell", "exec") if tree else None
    except (SyntaxError, RecursionError, MemoryError):  # `return` outside of a function
        table = None
    if tree is None or table is None:
        return CellNames()
    symbols = [(symbol, of) for of in _tables(table) for symbol in of.get_symbols()]
    bound = {symbol.get_name() for symbol, of in symbols if _is_bound(symbol, of)}
    used = {symbol.get_name() for symbol, of in symbols if symbol.is_referenced() and _is_global(symbol, of)}
    at_once = {
        symbol.get_name()
        for symbol, of in symbols
        if symbol.is_referenced() and _is_global(symbol, of) and of.get_type() in ("module", "class")
    }
    defined = frozenset(statement.name for statement in tree.body if isinstance(statement, DEFINITIONS))
    return CellNames(frozenset(bound | set(_changed(tree))), defined, frozenset(at_once), frozenset(used))


def needed_for(names: Collection[str], cells: Sequence[CellNames]) -> set[int]:
    """The places of the cells that bind these names, or names that those cells use in turn."""
    places: set[int] = set()
    wanted = set(names)
    while new := {place for place, cell in enumerate(cells) if not wanted.isdisjoint(cell.bound)} - places:
        places |= new
        wanted = wanted.union(*(cells[place].used for place in new))
    return places


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _tables(inner)


def _is_global(symbol: symtable.Symbol, of: symtable.SymbolTable) -> bool:
    return of.get_type() == "module" or symbol.is_global()


def _is_bound(symbol: symtable.Symbol, of: symtable.SymbolTable) -> bool:
    return _is_global(symbol, of) and (symbol.is_assigned() or symbol.is_imported())


def _changed(tree: ast.Module) -> Iterator[str]:
    """Names whose attributes are set, by an assignment or by setattr."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
                yield name
            case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_]):
                yield name
