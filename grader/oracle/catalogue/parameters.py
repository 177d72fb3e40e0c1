"""Mistakes with single weights and biases: left out, added twice, cut off from the graph."""

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from grader.checks.case import Projections
from grader.oracle import pipeline
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context, linear


def _without(name: str, sentence: str, why: str, less: Callable[[Projections], Projections]) -> Mistake:
    def project(c: Context) -> tuple[Tensor, Tensor, Tensor]:
        return pipeline.project(replace(c, weights=less(c.weights)))

    return Mistake(name, sentence, {"project": project}, why=why)


def _twice(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    w = c.weights
    query, key, value = pipeline.project(c)
    biases = (w.q_bias, w.k_bias, w.v_bias)
    query, key, value = (x if bias is None else x + bias for x, bias in zip((query, key, value), biases, strict=True))
    return query, key, value


def _output_twice(x: Tensor, c: Context) -> Tensor:
    output = pipeline.project_out(x, c)
    return output if c.weights.o_bias is None else output + c.weights.o_bias


ONE_BIAS = (
    _without(
        "no_query_bias",
        "the bias of the query projection was ignored",
        "The query's bias is part of each score: q + b asks another question than q.",
        lambda w: replace(w, q_bias=None),
    ),
    _without(
        "no_value_bias",
        "the bias of the value projection was ignored",
        "The weights sum to 1, so the value's bias reaches every output whole.",
        lambda w: replace(w, v_bias=None),
    ),
    Mistake(
        "input_bias_twice",
        "the biases of the query, key and value projections were added twice",
        {"project": _twice},
        why="A linear layer adds its bias itself; a second time it shifts queries and values once more.",
    ),
    Mistake(
        "output_bias_twice",
        "the bias of the output projection was added twice",
        {"project_out": _output_twice},
        why="A linear layer adds its bias itself; a second time it shifts every output once more.",
    ),
)
"""Ignoring the keys' bias alone is no mistake: it adds the same to all scores of a query, and the softmax drops it."""


def _detached(name: str, whose: str, weights: str) -> Mistake:
    def project(c: Context) -> tuple[Tensor, Tensor, Tensor]:
        cut = {each: getattr(c.weights, each).detach() for each in weights}
        return pipeline.project(replace(c, weights=replace(c.weights, **cut)))

    return Mistake(
        name,
        f"the {whose} weights were cut off from the graph: they got no gradient",
        {"project": project},
        why="A weight without a gradient is never trained: it stays as it was drawn.",
    )


OUTPUT_WEIGHTS_DETACHED = Mistake(
    "output_weights_detached",
    "the output projection's weights were cut off from the graph: they got no gradient",
    {"project_out": lambda x, c: linear(x, c.weights.o.detach(), c.weights.o_bias)},
    why="A weight without a gradient is never trained: it stays as it was drawn.",
)
FUSED_WEIGHTS_DETACHED = _detached("input_weights_detached", "input projection's", "qkv")
"""Where one layer holds all three."""

WEIGHTS_DETACHED = (
    _detached("query_weights_detached", "query projection's", "q"),
    _detached("key_weights_detached", "key projection's", "k"),
    _detached("value_weights_detached", "value projection's", "v"),
)
"""Where each projection has a layer of its own."""
