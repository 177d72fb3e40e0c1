"""Attention modules that a candidate's test is given: a pipeline that the judge runs, right or with a mistake in it."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from grader.checks.case import Case, Projections, Size
from grader.checks.subject import Implementation
from grader.oracle.pipeline import Steps

LAYERS = {"W_Q": "q", "W_K": "k", "W_V": "v", "W_O": "o"}
"""By the layers' names in the contract, those of the projections."""


def module(steps: Steps, size: Size, weights: Projections, *, training: bool) -> Implementation:
    """A module of the contract (query, key, value, mask=None, return_attention=True) -> (output, weights).

    A mask is (N, 1, L, S) or (N, 1, 1, S) of any dtype, 0 = masked. What it is given must have the parameters' dtype.

    Args:
        steps: of the pipeline.
        size: how it is built.
        weights: (E, E) each, and biases (E,), with which it is handed over.
        training: the mode in which it is handed over.
    """

    def run(
        parameters: dict[str, Tensor],
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        return_attention: bool = True,
    ) -> tuple[Any, Any]:
        case = Case(query, key, value, allow=None if mask is None else mask != 0)
        return tuple(steps.run(case.but(need_weights=return_attention, seed=None), size, _of(parameters)))

    layers = {path: (getattr(weights, name), getattr(weights, f"{name}_bias")) for path, name in LAYERS.items()}
    sizes = {"d_model": size.embed_dim, "num_heads": size.num_heads}
    return Implementation(run, layers, sizes, training)


def _of(parameters: dict[str, Tensor]) -> Projections:
    weights = (parameters[f"{path}.weight"] for path in LAYERS)
    return Projections(*weights, *(parameters.get(f"{path}.bias") for path in LAYERS))
