"""The global state of Python and torch around a piece of the submission: set before, put back after."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from operator import ne
from types import ModuleType
from typing import Any, NamedTuple

import torch
from torch import get_default_dtype, is_grad_enabled

from grader.worker import streams

RECURSION_LIMIT = sys.getrecursionlimit()


class Flag(NamedTuple):
    """A setting that all of torch shares."""

    get: Callable[[], Any]
    put: Callable[[Any], Any]
    plain: Any


FLAGS = {
    # Functions of torch._C where the public one would import torch._inductor, or a backend's module.
    "the deterministic flag": Flag(
        torch._C._get_deterministic_algorithms, torch._C._set_deterministic_algorithms, False
    ),
    "cudnn's deterministic flag": Flag(torch._C._get_cudnn_deterministic, torch._C._set_cudnn_deterministic, False),
    "cudnn's benchmark flag": Flag(torch._C._get_cudnn_benchmark, torch._C._set_cudnn_benchmark, False),
    "the deterministic fill of new memory": Flag(
        torch._C._get_deterministic_fill_uninitialized_memory,
        torch._C._set_deterministic_fill_uninitialized_memory,
        True,
    ),
    "the precision of float32 products": Flag(
        torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "highest"
    ),
    "anomaly detection": Flag(torch.is_anomaly_enabled, torch.set_anomaly_enabled, False),
}


PLAIN_FLAGS = [flag.plain for flag in FLAGS.values()]


class CallSettings(NamedTuple):
    """The global state that a call finds."""

    seed: int | None = None
    """Seed of torch, `random` and, where it is imported, `numpy.random`; None leaves them as they are."""
    default_dtype: str = "float32"
    """Name of a floating dtype."""
    no_grad: bool = False
    """Whether to run without a graph."""
    drawn: int = 0
    """How many numbers to draw from torch's generator after it was seeded, before anything else."""


PLAIN = CallSettings()


@contextmanager
def global_state(requested: CallSettings = PLAIN) -> Iterator[None]:
    """Seeds, sets the default dtype and the grad mode; what the block changes is undone before the next begins."""
    # The guard puts back what it found: inference mode and autocast, entered and never left, end with it.
    with torch.inference_mode(False), warnings.catch_warnings():
        _settle(requested.default_dtype, not requested.no_grad)
        if requested.seed is not None:
            # Not torch.manual_seed: it also notes a traceback for each other kind of device, and reads its sources.
            torch.default_generator.manual_seed(requested.seed)
            if requested.drawn:
                torch.rand(requested.drawn, dtype=torch.float64)
            random.seed(requested.seed)
            if numpy := sys.modules.get("numpy.random"):
                with suppress(Exception):  # the submission gave it another kind of generator
                    numpy.seed(requested.seed % 2**32)
        try:
            yield
        finally:
            _settle_for_worker(PLAIN.default_dtype, True)


def disturbed(requested: CallSettings, before: torch.Tensor) -> list[str]:
    """What differs from the state that `global_state` made: evidence for the judge.

    Args:
        requested: what `global_state` was given. Without a seed it is not known what `random` and `numpy.random` should
            give.
        before: the state of torch's generator before the submission's code ran.
    """
    numpy = sys.modules.get("numpy.random")
    seed = requested.seed
    differences = (
        ("the default dtype", get_default_dtype() != getattr(torch, requested.default_dtype)),
        ("the default device", _has_default_device()),
        ("the grad mode", is_grad_enabled() is requested.no_grad),
        *zip(FLAGS, map(ne, _flags(), PLAIN_FLAGS), strict=True),
        ("autocast", torch.is_autocast_enabled("cpu")),
        ("the global seed", seed is not None and torch.default_generator.initial_seed() != seed),
        ("the global generator", not torch.equal(torch.default_generator.get_state(), before)),
        ("the state of random", seed is not None and random.random() != _first_number(seed)),
        # Compared by its next number: its state takes 50 us to read, which is as long as a small call.
        ("the state of numpy.random", seed is not None and numpy is not None and _moved(numpy, seed)),
    )
    return [name for name, differs in differences if differs]


@lru_cache(maxsize=8)
def _first_number(seed: int) -> float:
    """The first number of `random` after this seed; cached, as one seed is used for many calls in a row."""
    return random.Random(seed).random()


def _moved(numpy: ModuleType, seed: int) -> bool:
    with suppress(Exception):  # the submission gave it another kind of generator
        return bool(numpy.random_sample() != _first_of_numpy(numpy, seed % 2**32))
    return False


@lru_cache(maxsize=8)
def _first_of_numpy(numpy: ModuleType, seed: int) -> float:
    return float(numpy.RandomState(seed).random_sample())


def _settle(default_dtype: str, grad: bool) -> None:
    streams.put_back()
    if _flags() != PLAIN_FLAGS:
        for flag in FLAGS.values():
            flag.put(flag.plain)
    _settle_for_worker(default_dtype, grad)


def _settle_for_worker(default_dtype: str, grad: bool) -> None:
    """Sets what the worker's own code depends on too; the rest is undone before more of the submission's code runs."""
    if sys.getrecursionlimit() < RECURSION_LIMIT:  # a higher one may be needed
        sys.setrecursionlimit(RECURSION_LIMIT)
    # What is as it should be is not set: asking takes a tenth of the time.
    if is_grad_enabled() is not grad:
        torch.set_grad_enabled(grad)
    if get_default_dtype() != (dtype := getattr(torch, default_dtype)):
        torch.set_default_dtype(dtype)
    if _has_default_device():
        torch.set_default_device(None)


def _flags() -> list[Any]:
    return [flag.get() for flag in FLAGS.values()]


def _has_default_device() -> bool:
    """Whether a default device other than the CPU was set: it is a mode on a stack, whose height is quick to ask."""
    return torch._C._len_torch_function_stack() > 0 and torch.get_default_device().type != "cpu"
