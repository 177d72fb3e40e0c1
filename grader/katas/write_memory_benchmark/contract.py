"""`write_memory_benchmark`: the peak memory of attentions by length, and how fast it grows."""

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks import expect, meter
from grader.checks.draw import Draw
from grader.checks.expect import Comparison, Mismatch, Tolerance, Unsendable
from grader.checks.kata import Kata
from grader.checks.subject import Call, Manner, Subject, WorkerFunction
from grader.checks.tiers import Claim, Tier
from grader.records import Contract, Policy, RequiredName

HEAD_DIM = 64
OUTPUT = 4 * HEAD_DIM
"""Bytes of the output for each token, in float32."""
ROUGH = Tolerance(1e-3, 0.0)
"""The tolerance of an exponent: right programs may take logarithms in float32."""

MOST_DRAWN = 10**30
"""The largest number that a picture shows: an int may have any number of digits, and a picture has floats."""

RUNS = Tier("runs", "rows of whole numbers and an exponent come back", needs_liveness=False)
PEAKS = Tier("peak bytes", "a row holds what the call alone takes at its peak")
GROWTH = Tier("growth", "the exponent is that of least squares on logarithms", needs_liveness=False)
APART = Tier("linear or quadratic", "quadratic growth is distinguished from linear growth")
NO_TRACE = Tier("leaves no trace", "torch's own state is left as it was")


def attention(*lines: str, before: str = "") -> WorkerFunction:
    """An attention function to be measured.

    Args:
        lines: the lines of its body, which compute from `q`, `k` and `v`.
        before: source that runs once, when the function is made.
    """
    body = "".join(f"    {line}\n" for line in lines)
    return WorkerFunction(
        f"import torch\nimport torch.nn.functional as F\n{before}\ndef attention(q, k, v):\n{body}", "attention"
    )


def probe(for_each_token: int) -> WorkerFunction:
    """An attention that takes a number of bytes for each token beside its output.

    Args:
        for_each_token: that number, a multiple of 4.
    """
    return attention(f"extra = q.new_empty(q.shape[-2] * {for_each_token // 4})", "return torch.zeros_like(q)")


def rows(subject: Subject, given: WorkerFunction, lengths: Sequence[int]) -> list[tuple[Any, Any]]:
    """The rows that `attention_memory` returns when gradients are on, as they mostly are; lists pass as pairs too.

    Args:
        subject: the submission.
        given: the attention.
        lengths: the lengths at which it is measured.
    """
    call = Call("attention_memory", (given, lengths))
    return pairs("attention_memory(attention, lengths)", subject.ask(call, Manner(recording=True)).value)


def pairs(what: str, value: Any) -> list[tuple[Any, Any]]:
    """The value as a list of pairs; raises `Mismatch` for anything else."""
    if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) and len(row) == 2 for row in value):
        raise Mismatch(what, "a list of pairs (length, peak bytes)", expect.describe(value))
    rows = [(row[0], row[1]) for row in value]
    if not all(type(number) in (int, float) and math.isfinite(number) for row in rows for number in row):
        raise Mismatch(f"numbers in {what}", "whole numbers", ", ".join(sorted({kind_of(n) for r in rows for n in r})))
    return rows


def kind_of(value: Any) -> str:
    """The name of the value's type; a description in words where the value could not be sent."""
    return value.words if isinstance(value, Unsendable) else type(value).__name__


def same_rows(got: Sequence[tuple[Any, Any]], want: Sequence[tuple[int, int]]) -> None:
    """Checks the lengths in their order, then the bytes of each row."""
    expect.equal("lengths of the rows", [length for length, _ in got], [length for length, _ in want])
    curve, wanted = (
        torch.tensor([[float(min(number, MOST_DRAWN)) for number in row] for row in rows], dtype=torch.float64)
        for rows in (got, want)
    )
    compared = Comparison(curve, curve != wanted, wanted)
    for (length, bytes_got), (_, peak) in zip(got, want, strict=True):
        expect.equal(f"peak bytes at length {length}", bytes_got, peak, compared)


def exponent(subject: Subject, given: Sequence[tuple[int, int]]) -> Tensor:
    """What `growth_exponent` returns, as a tensor; another claim checks that it is a float."""
    value = subject.call("growth_exponent", list(given))
    if isinstance(value, Tensor) and value.numel() == 1:
        return value.detach().double().reshape(())
    if type(value) not in (int, float):
        raise Mismatch("growth_exponent(rows)", "a float", expect.describe(value))
    return torch.tensor(float(value), dtype=torch.float64)


@PEAKS()
def rows_follow_the_attention(subject: Subject, draw: Draw) -> None:
    """An attention that takes more has other bytes in its rows."""
    lengths = [40 + draw.integer() % 40, 120 + draw.integer() % 40]
    less = 4 * (80 + draw.integer() % 40)
    one, other = (rows(subject, probe(size), lengths) for size in (less, 3 * less))
    alike = sum(first == second for (_, first), (_, second) in zip(one, other, strict=False))
    expect.equal("rows that are alike for two attentions, of which one takes more", alike, 0)


class MemoryBenchmark(Kata):
    """Two functions: one measures attentions, which run in the worker; the other one fits the exponent of growth."""

    name = "write_memory_benchmark"
    title = "A benchmark that tells linear memory from quadratic"
    group = "testing"
    paper = "Rabe and Staats 2021"
    question = "Which tensors of attention grow with the square of the length, and how do you measure that?"
    contract = Contract(
        "write_memory_benchmark",
        (
            RequiredName("Meter", "class", supplied=inspect.getsource(meter)),
            RequiredName("attention_memory", "function", "(attention, lengths)"),
            RequiredName("growth_exponent", "function", "(rows)"),
        ),
    )
    policy = Policy(forbidden=frozenset())
    shares: ClassVar[Mapping[Tier, int]] = {RUNS: 8, PEAKS: 42, GROWTH: 24, APART: 18, NO_TRACE: 8}
    liveness: ClassVar[tuple[Claim, ...]] = (rows_follow_the_attention,)


KATA = MemoryBenchmark
