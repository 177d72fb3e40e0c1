"""The global state of Python and torch around a piece of the submission: set before, put back after."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch

STREAMS = (sys.stdout, sys.stderr)
RECURSION_LIMIT = sys.getrecursionlimit()


class Settings(NamedTuple):
    """What a call finds."""

    seed: int | None = None
    """Of torch and of `random`; None leaves both as they are."""
    default_dtype: str = "float32"
    """Name of a floating dtype."""
    no_grad: bool = False
    """Whether to run without a graph."""


PLAIN = Settings()


@contextmanager
def settings(given: Settings = PLAIN) -> Iterator[None]:
    """Seeds, sets the default dtype and the grad mode; afterwards nothing that was changed stays changed."""
    # The guard puts back what it found: inference mode and autocast, entered and never left, end with it.
    with torch.inference_mode(False), warnings.catch_warnings():
        _settle(given.default_dtype, not given.no_grad)
        if given.seed is not None:
            # Not torch.manual_seed: it also notes a traceback for each other kind of device, and reads its sources.
            torch.default_generator.manual_seed(given.seed)
            random.seed(given.seed)
        try:
            yield
        finally:
            _settle(PLAIN.default_dtype, True)


def disturbed(given: Settings, generator: torch.Tensor) -> list[str]:
    """What differs from the state that `settings` made: evidence for the judge.

    Args:
        given: as `settings` was given them.
        generator: the state of the global generator before the submission's code.
    """
    found = {
        "the default dtype": torch.get_default_dtype() != getattr(torch, given.default_dtype),
        "the grad mode": torch.is_grad_enabled() is given.no_grad,
        "the deterministic flag": torch.are_deterministic_algorithms_enabled(),
        "the precision of float32 products": torch.get_float32_matmul_precision() != "highest",
        "anomaly detection": torch.is_anomaly_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "the global seed": given.seed is not None and torch.default_generator.initial_seed() != given.seed,
        "the global generator": not torch.equal(torch.default_generator.get_state(), generator),
    }
    return [name for name, differs in found.items() if differs]


def _settle(default_dtype: str, grad: bool) -> None:
    sys.stdout, sys.stderr = STREAMS
    if sys.getrecursionlimit() < RECURSION_LIMIT:  # a higher one may be needed
        sys.setrecursionlimit(RECURSION_LIMIT)
    torch.set_grad_enabled(grad)
    torch.set_default_dtype(getattr(torch, default_dtype))
    torch.set_anomaly_enabled(False)
    torch.set_float32_matmul_precision("highest")
    if torch.are_deterministic_algorithms_enabled():
        torch._C._set_deterministic_algorithms(False)  # the public function would import torch._inductor
    if torch.get_default_device().type != "cpu":
        torch.set_default_device(None)
