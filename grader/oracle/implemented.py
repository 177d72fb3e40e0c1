"""Attention modules that a candidate's test is given: a pipeline that the judge runs, right or with a mistake in it."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from grader.checks.case import Case, Projections, Size
from grader.checks.subject import Implementation
from grader.oracle.pipeline import PER_HEAD, Steps

LAYERS = {"W_Q": "q", "W_K": "k", "W_V": "v", "W_O": "o"}
"""The names of the projections, by the layers' names in the contract."""


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


HEADS_GIVEN = PER_HEAD.but(
    project=lambda c: (c.case.query.double(), c.case.keys.double(), c.case.values.double()),
    split=lambda x, c: x,
    merge=lambda mixed, c: mixed,
    project_out=lambda mixed, c: mixed.to(c.case.query.dtype),
    give=lambda weights, c: weights.to(c.case.query.dtype),
)
"""The pipeline for inputs that have heads already: all in float64, and the results rounded to the inputs' dtype."""
MOST_KEYS, MOST_SCORES = 1 << 13, 1 << 18
"""The most keys and scores in a call of `function`, so that what the call takes stays bounded."""


def function(steps: Steps) -> Implementation:
    """A function (q, k, v, mask=None) -> (output, weights) on (B, H, L|S, D), any mask that broadcasts to (B, H, L, S).

    Args:
        steps: of the pipeline, such as `HEADS_GIVEN`.
    """

    def run(
        parameters: dict[str, Tensor], q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
    ) -> tuple[Any, Any]:
        shape = (*q.shape[:-1], k.shape[-2])
        if k.shape[-2] > MOST_KEYS or math.prod(shape) > MOST_SCORES:
            raise ValueError(f"a call takes up to {MOST_KEYS} keys and {MOST_SCORES} scores, B * H * L * S")
        case = Case(q, k, v, allow=None if mask is None else (mask != 0).expand(shape))
        size = Size(q.shape[-1], 1, dtype=q.dtype)
        return tuple(steps.run(case.but(seed=None), size, Projections(*[q.new_empty(0)] * 4)))

    return Implementation(run)
