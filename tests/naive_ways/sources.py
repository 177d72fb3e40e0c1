"""Of Python source."""

import ast
import ctypes
import importlib
import sys
import tokenize
from contextlib import suppress

from tests.naive_ways.parts import Found, Handed, started

TEST = """
import torch
from candidate import scaled_dot_product_attention

def test_equal_keys_get_equal_weights():
    q, k, v = torch.rand(2, 3, 4), torch.ones(2, 5, 4), torch.rand(2, 5, 4)
    assert torch.allclose(scaled_dot_product_attention(q, k, v)[0], v.mean(1, keepdim=True).expand(2, 3, 4))
"""


def opens(handed: Handed) -> Found:
    """its text, by open().read()"""
    with suppress(FileNotFoundError, PermissionError, UnicodeDecodeError):
        return Found(code=handed.path.read_text(encoding="utf-8"))
    return Found()


def shows_name(handed: Handed) -> Found:
    """its name, printed"""
    return Found(shown=handed.path.name)


def shows_errors(handed: Handed) -> Found:
    """its syntax error, printed with the line"""
    try:
        compile(handed.path.read_text(encoding="utf-8"), "candidate.py", "exec")
    except SyntaxError as error:
        return Found(shown=f"line {error.lineno}: {error.msg}: {error.text}")
    return Found()


def decodes(handed: Handed) -> Found:
    """its text, by tokenize.open, as its coding line says"""
    with suppress(SyntaxError, UnicodeDecodeError), tokenize.open(handed.path) as file:
        return Found(code=file.read())
    return Found()


def reads_as_c(handed: Handed) -> Found:
    """its bytes, as a string of C"""
    return Found(code=(ctypes.c_char_p(handed.path.read_bytes()).value or b"").decode())


def parses(handed: Handed) -> Found:
    """its syntax tree, by ast.parse"""
    tree_of(handed)
    return Found()


def tree_of(handed: Handed) -> ast.Module:
    with suppress(SyntaxError):
        try:
            return ast.parse(handed.path.read_text(encoding="utf-8"))
        except MemoryError as error:  # so Python 3.11 spells that its parser recursed too deeply: none was taken
            raise RecursionError from error
    return ast.Module([], [])


def walks(handed: Handed) -> Found:
    """its syntax tree, by an ast.NodeVisitor"""
    ast.NodeVisitor().visit(tree_of(handed))
    return Found()


def searches_calls(handed: Handed) -> Found:
    """each call in its syntax tree, searched for others"""
    for call in ast.walk(tree_of(handed)):
        for _ in ast.walk(call) if isinstance(call, ast.Call) else ():
            handed.look()
    return Found()


def inherits(handed: Handed) -> Found:
    """the methods of its last class, and those of each base in turn"""
    classes = {node.name: node for node in tree_of(handed).body if isinstance(node, ast.ClassDef)}

    def methods(name: str) -> list[str]:
        handed.look()
        own = [node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)]
        bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name) and base.id in classes]
        return own + [method for base in bases for method in methods(base)]

    for last in [*classes][-1:]:
        methods(last)
    return Found()


def places_parameters(handed: Handed) -> Found:
    """each parameter of its functions, looked for in the list of them"""
    for function in ast.walk(tree_of(handed)):
        names = [each.arg for each in function.args.args] if isinstance(function, ast.FunctionDef) else []
        for name in names:
            for other in names:
                handed.look()
                if other == name:
                    break
    return Found()


def matches_brackets(handed: Handed) -> Found:
    """its brackets, matched by a function that calls itself"""
    text = handed.path.read_text(encoding="utf-8")

    def closing(place: int) -> int:
        while place < len(text) and text[place] not in ")]}":
            place = (closing(place + 1) if text[place] in "([{" else place) + 1
        return place

    closing(0)
    return Found()


def imports(handed: Handed) -> Found:
    """an import, with its folder on sys.path"""
    sys.path.insert(0, str(handed.path.parent))
    with suppress(Exception):  # the submission's own
        importlib.import_module(handed.path.stem)
    return Found()


def starts_python(handed: Handed) -> Found:
    """Python, started in its folder"""
    started(handed, sys.executable, "-c", "")
    return Found()


def starts_pytest(handed: Handed) -> Found:
    """pytest, started in its folder"""
    handed.path.with_name("test_it.py").write_text(TEST)
    return Found(points=100 if started(handed, sys.executable, "-m", "pytest", "-p", "no:cacheprovider") == 0 else 0)


WAYS = (
    opens,
    shows_name,
    shows_errors,
    decodes,
    reads_as_c,
    parses,
    walks,
    searches_calls,
    inherits,
    places_parameters,
    matches_brackets,
    imports,
    starts_python,
    starts_pytest,
)
