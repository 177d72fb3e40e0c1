"""An untidy submission is made from a solution's text: so it stays true when the solution changes."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from grader.stubs.markers import with_solutions
from grader.stubs.solution_cells import read_cells
from tests import fakes
from tests.grading import ROOT

SCORES = re.compile(r"^( +)(?:scores|attn_logits) = \w+ @ .*$", re.MULTILINE)
"""The line that every solution has, in the middle of its work: query times key."""

DEMO = {
    "scaled_dot_product": "x = torch.rand(2, 5, 8)\nout, _ = scaled_dot_product_attention(x, x, x)",
    "plain_class": "x = torch.rand(2, 5, 8)\nmodel = MultiHeadAttention(8, 2)\nout = model.forward(x, x, x)",
    "functional": "x = torch.rand(2, 5, 8)\nout = multi_head_attention(x, x, x, 2, 8)",
    "scaffold": "x = torch.rand(2, 5, 8)\nmodel = MultiHeadAttention(AttentionConfig(8, 2))\nout, _ = model(x)",
    "module": "x = torch.rand(2, 5, 8)\nmodel = MultiHeadAttention(8, 2)\nout, _ = model(x, x, x)",
    "write_head_permutation_test": "print(check_head_permutation.__doc__)",
    "fused_qkv": "x = torch.rand(2, 5, 8)\nmodel = EfficientMultiHeadAttention(8, 2)\nout, _ = model(x)",
    "rope": "x = torch.rand(2, 5, 8)\nmodel = RotaryMultiHeadAttention(8, 2)\nout, _ = model(x)",
}
"""How a candidate tries the kata out."""


class Case(NamedTuple):
    """One untidy submission."""

    name: str
    """The situation."""
    kata: str
    file: str
    content: Callable[[], str | bytes]
    notes: tuple[str, ...] | None = ()
    """How each note begins, in order; None: whether something raises depends on the sandbox's layers."""
    is_identified: bool = True
    """Whether the kata can be told from the file; else the interviewer names it."""


def cells(kata: str) -> list[str]:
    """The code cells that hold a kata's solution, without markers and examples."""
    path = Path("solutions", f"{kata}.py")
    text = with_solutions((ROOT / path).read_text(encoding="utf-8"), path)
    return [cell.source for cell in read_cells(text, path) if cell.tag == "stub"]


def answer(kata: str) -> str:
    """The same as one piece of source."""
    return "\n\n\n".join(cells(kata)) + "\n"


def working(kata: str, *lines: str) -> str:
    """The answer with more statements in its function or forward, just before the scores are made."""
    source = answer(kata)
    assert SCORES.search(source), f"{kata} has no line that makes the scores: correct SCORES"
    return SCORES.sub(lambda m: "".join(f"{m[1]}{line}\n" for line in lines) + m[0], source, count=1)


def edited(kata: str, *changes: tuple[str, str]) -> str:
    """The answer with pieces of text replaced, each of which must be there."""
    source = answer(kata)
    for old, new in changes:
        assert old in source, f"{kata} has no {old!r}"
        source = source.replace(old, new)
    return source


def script(name: str, kata: str, before: str = "", after: str = "", *, notes: tuple[str, ...] | None = ()) -> Case:
    """A `.py` file with something before the answer and something after it; `DEMO` stands for the kata's demo."""
    return Case(
        name,
        kata,
        "candidate.py",
        lambda: f"{filled(before, kata)}\n{answer(kata)}\n\n{filled(after, kata)}\n",
        notes,
    )


def book(
    name: str,
    kata: str,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    *,
    notes: tuple[str, ...] | None = (),
    file: str = "candidate.ipynb",
) -> Case:
    """A notebook of version 4.5 with cells before and after the answer's one cell."""
    around = ([filled(cell, kata) for cell in part] for part in (before, after))
    first, last = around
    return Case(name, kata, file, lambda: fakes.notebook(*first, answer(kata), *last), notes)


def raw_notebook(kata: str, **metadata: Any) -> dict[str, Any]:
    """A notebook as its JSON's Python value, the answer's cells in it."""
    raw: dict[str, Any] = json.loads(fakes.notebook(*cells(kata), **metadata))
    return raw


def filled(text: str, kata: str) -> str:
    """The text with the demo of the kata in the places that say DEMO, indented as they are."""
    return re.sub(r"^( *)DEMO$", lambda m: re.sub("^", m[1], DEMO[kata], flags=re.M), text, flags=re.M)
