"""The two right functions, made of steps that a mistake replaces."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from grader.checks.meter import Meter
from grader.checks.subject import WorkerFunction
from grader.katas.write_memory_benchmark.contract import HEAD_DIM
from grader.oracle.functions import Functions

Rows: TypeAlias = Sequence[tuple[Any, Any]]
Attention: TypeAlias = Callable[[Tensor, Tensor, Tensor], Tensor]


class Ways(NamedTuple):
    """The steps by which one length is measured."""

    peak: Callable[[Ways, Attention, int], Any]
    inputs: Callable[[int], list[Tensor]]
    manner: Callable[[], AbstractContextManager[Any]]
    read: Callable[[Meter, Any], int]


def ways(steps: Functions) -> Ways:
    return Ways(steps.peak, steps.inputs, steps.manner, steps.read)


def attention_memory(steps: Functions, given: WorkerFunction, lengths: Sequence[int]) -> Rows:
    """A row for each length.

    Args:
        steps: the steps of the benchmark.
        given: the attention.
        lengths: the lengths as they were asked for.
    """
    chosen = tuple(steps.chosen(lengths))
    return list(steps.given(list(zip(chosen, measured(ways(steps), given, chosen), strict=True))))


@lru_cache(maxsize=4096)
def measured(by: Ways, given: WorkerFunction, lengths: tuple[int, ...]) -> tuple[Any, ...]:
    """The bytes at each length; cached, as most mistakes measure alike and are tried on the same calls.

    Args:
        by: the steps.
        given: the attention, which is made anew and then keeps its state from length to length.
        lengths: in the order in which they are measured.
    """
    function = given.define()
    return tuple(by.peak(by, function, length) for length in lengths)


def peak(by: Ways, function: Attention, length: int) -> Any:
    """The bytes that one call takes.

    Args:
        by: the steps.
        function: the attention.
        length: the length of its inputs.
    """
    inputs = by.inputs(length)
    with by.manner(), Meter() as meter:
        output = function(*inputs)
    return by.read(meter, output)


def inputs(length: int, *, batch: int = 1, heads: int = 1, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """Queries, keys and values.

    Args:
        length: the length of each, L.
        batch: B.
        heads: H.
        dtype: the dtype of each.
    """
    return [torch.zeros(batch, heads, length, HEAD_DIM, dtype=dtype) for _ in range(3)]


def chosen(lengths: Sequence[int]) -> list[int]:
    return sorted(set(lengths))


def growth_exponent(steps: Functions, given: Rows) -> Any:
    x, y = zip(*given, strict=True)
    return steps.fitted(steps.of_lengths(x), steps.of_bytes(y))


def logarithms(values: Sequence[int]) -> list[float]:
    return [math.log(value) for value in values]


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    return product_sum(x, y) / product_sum(x, x)


def product_sum(x: Sequence[float], y: Sequence[float]) -> float:
    """The sum of the products of the distances from the means."""
    x_mean, y_mean = (sum(values) / len(values) for values in (x, y))
    return sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))


BENCHMARK = Functions(
    attention_memory=attention_memory,
    growth_exponent=growth_exponent,
    chosen=chosen,
    inputs=inputs,
    manner=torch.no_grad,
    peak=peak,
    read=lambda meter, output: meter.peak_bytes,
    given=lambda rows: rows,
    of_lengths=logarithms,
    of_bytes=logarithms,
    fitted=slope,
)
