"""The wire, the readers and the search for imports, on bytes that nobody wrote: an answer or a sentence, never a crash.

`make fuzz` tries 5,000 of each, five minutes of them; `make test` few enough for a second or two each, drawn from a
fixed seed.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader import wire
from grader.records import GraderError, Submission
from grader.submission import identify
from grader.submission.imports import MOST, imports
from grader.submission.suspects import suspects
from tests.grading import BY_NAME, read, submission

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "150"))
LIMITS = wire.WireLimits(head_bytes=1 << 12, payload_bytes=1 << 12, tensors=8, rank=4, depth=8)

fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=EXAMPLES <= 150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([*wire.ITEM_SIZES, "complex64", "float8_e4m3fn", "object", 7]),
        "shape": st.lists(st.integers(-1, 4) | st.sampled_from([2**31, 2**63, True, 0.5]), max_size=6) | json_values,
    }
)
sound_entries = st.fixed_dictionaries(
    {"dtype": st.sampled_from(list(wire.ITEM_SIZES)), "shape": st.lists(st.integers(0, 4), max_size=5)}
)
"""Of such tensors a frame gets past its head."""
heads = (
    json_values
    | st.dictionaries(st.text(max_size=8), json_values, max_size=4)
    | st.fixed_dictionaries(
        {"ok": json_values, "request": json_values, "tensors": st.lists(entries, max_size=10) | json_values}
    )
)


class Bytes:
    """What a socket would give, and then its end; asking for more than is allowed fails the test."""

    def __init__(self, data: bytes) -> None:
        self.left = data

    def __call__(self, count: int) -> bytearray:
        assert count <= LIMITS.payload_bytes
        if count > len(self.left):
            raise wire.WireClosed("the end")
        part, self.left = self.left[:count], self.left[count:]
        return bytearray(part)


def decoded(data: bytes) -> wire.Frame | None:
    try:
        return wire.decode(Bytes(data), LIMITS)
    except wire.WireError:
        return None


def sound(frame: wire.Frame | None) -> None:
    if frame is None:
        return
    assert isinstance(frame.head, dict)
    assert len(frame.tensors) <= LIMITS.tensors
    for tensor in frame.tensors:
        assert str(tensor.dtype).removeprefix("torch.") in wire.ITEM_SIZES
        assert tensor.dim() <= LIMITS.rank
        assert tensor.numel() * tensor.element_size() <= LIMITS.payload_bytes


@fuzz
@given(st.binary(max_size=200), st.binary(max_size=200), st.booleans())
def test_any_bytes_on_the_wire(head: bytes, payload: bytes, announced: bool) -> None:
    sound(decoded((wire.HEADER.pack(len(head), len(payload)) if announced else b"") + head + payload))


@pytest.mark.slow
@fuzz
@given(heads, st.binary(max_size=300), st.integers(-3, 3))
def test_any_head_on_the_wire(head: Any, payload: bytes, off: int) -> None:
    text = json.dumps(head).encode()
    sound(decoded(wire.HEADER.pack(len(text), max(0, len(payload) + off)) + text + payload))


@fuzz
@given(st.lists(sound_entries, max_size=8) | st.lists(sound_entries | entries, max_size=10), st.binary(max_size=64))
def test_any_description_of_tensors_with_the_bytes_that_it_asks_for(described: Any, seed: bytes) -> None:
    text = json.dumps({"tensors": described}).encode()
    try:
        size = wire._payload_size(json.loads(text)["tensors"], LIMITS)
    except wire.WireError:
        size = 0
    payload = (seed or b"\x02") * (size + 1)
    sound(decoded(wire.HEADER.pack(len(text), size) + text + payload[:size]))


@fuzz
@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.integers() | st.booleans()),
    st.lists(st.sampled_from(list(wire.ITEM_SIZES)), max_size=4),
    st.lists(st.integers(0, 3), max_size=4),
)
def test_what_is_encoded_is_decoded(head: dict[str, Any], dtypes: list[str], shape: list[int]) -> None:
    head.pop("tensors", None)
    tensors = [torch.ones(shape).to(getattr(torch, name)) for name in dtypes]
    frame = wire.decode(Bytes(wire.encode(head, tensors, LIMITS)), LIMITS)
    assert head == frame.head
    assert [True] * len(tensors) == [torch.equal(a, b) for a, b in zip(tensors, frame.tensors, strict=True)]


def searched(candidate: Submission) -> None:
    """All that is found out about a source before it is run."""
    assert len(imports(candidate.cells)) <= MOST
    suspects(candidate.cells, "candidate.py")
    with suppress(GraderError):
        identify(candidate, [kata.contract for kata in BY_NAME.values()])


def read_or_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        candidate = read(path)
    except GraderError as problem:
        said = str(problem)
    else:
        said = str(path)
        assert candidate.cells
        searched(candidate)
    assert said.startswith(str(path))


SYNTAX = ["def f(x):", "    return x", "import a.b", "from . import c", *'\n \t"([{)\\', "'''"]
CODING = [*"\r\f\x00\ufeffé\u2028@*", "# coding: latin-1\n", "# coding: utf-7\n", "0x", "1_", "lambda:"]
MAGICS = [
    "%time x",
    "!ls",
    "?x",
    "x??",
    "%%bash\n",
    "%%time\n",
    "%%",
    "async ",
    "await ",
    "f'{x!r:{y}}'",
    "match x:",
]
pieces = st.sampled_from([*SYNTAX, *CODING, *MAGICS])


@fuzz
@given(data=st.binary(max_size=300) | st.lists(pieces, max_size=30).map(lambda parts: "".join(parts).encode()))
def test_any_bytes_as_a_source_file(tmp_path: Path, data: bytes) -> None:
    read_or_refused(tmp_path / "candidate.py", data)


def notebook(cells: Any, rest: dict[str, Any]) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, **rest, "cells": cells}).encode()


cells = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | json_values},
    optional={
        "source": st.lists(pieces, max_size=12).map("".join) | st.lists(pieces, max_size=5) | json_values,
        "metadata": json_values,
        "outputs": json_values,
        "attachments": json_values,
        "id": json_values,
    },
)


sound_cells = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw"]),
        "source": st.lists(pieces, max_size=12).map("".join) | st.lists(pieces, max_size=5),
        "metadata": st.dictionaries(st.text(max_size=8), json_values, max_size=4),
        "outputs": st.just([]) | json_values,
        "execution_count": st.none(),
    }
)
CODE = {"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": [], "execution_count": None}
"""With it, and cells such as those, a notebook is read."""
odd = st.fixed_dictionaries({}, optional=dict.fromkeys(("nbformat", "nbformat_minor", "metadata"), json_values))


@pytest.mark.slow
@fuzz
@given(
    cells=st.lists(sound_cells, max_size=4).map(lambda some: [*some, CODE])
    | st.lists(cells | json_values, max_size=4)
    | json_values,
    rest=st.just({}) | odd,
)
def test_any_json_as_a_notebook(tmp_path: Path, cells: Any, rest: dict[str, Any]) -> None:
    read_or_refused(tmp_path / "candidate.ipynb", notebook(cells, rest))


@fuzz
@given(data=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_as_a_notebook(tmp_path: Path, data: bytes) -> None:
    read_or_refused(tmp_path / "candidate.ipynb", data)


@fuzz
@given(source=st.lists(pieces, max_size=30).map("".join))
def test_any_source_is_searched(source: str) -> None:
    searched(submission(source))


@pytest.mark.slow
@fuzz
@given(
    piece=st.sampled_from(
        ["a.", "-", "f(x)", "[0]", "(", "not ", "1 + ", "x if y else ", "lambda: ", "await ", "[x for "]
    ),
    line=st.sampled_from(["elif x:\n pass\n", "try:\n pass\n", "class A(A): pass\n", "def a(): pass\n", "with a:\n"]),
    times=st.integers(1, 1500),
    lines=st.booleans(),
)
def test_any_source_that_nests_is_searched(tmp_path: Path, piece: str, line: str, times: int, lines: bool) -> None:
    source = f"if x:\n pass\n{line * times}" if lines else f"x = {piece * times}a"
    read_or_refused(tmp_path / "candidate.py", source.encode())


@pytest.mark.parametrize("size", [0, 1, 11, 12])
def test_a_frame_that_ends_early(size: int) -> None:
    with pytest.raises(wire.WireClosed):
        wire.decode(Bytes(wire.encode({"a": 1})[:size]), LIMITS)
