"""Mistakes with single weights and biases: left out, added twice, detached from the graph."""

from collections.abc import Callable
from dataclasses import replace

from grader.checks.case import Projections
from grader.oracle.mistake import Mistake, Step, with_weights


def _without(name: str, sentence: str, why: str, less: Callable[[Projections], Projections]) -> Mistake:
    return Mistake(name, sentence, around={"project": with_weights(less)}, why=why)


def _doubled(*names: str) -> Callable[[Step], Step]:
    """These biases count twice, where there are any."""

    def change(w: Projections) -> Projections:
        biases = {name: getattr(w, name) for name in names}
        return replace(w, **{name: 2 * bias for name, bias in biases.items() if bias is not None})

    return with_weights(change)


ONE_BIAS = (
    _without(
        "no_query_bias",
        "the bias of the query projection was ignored",
        "The query's bias enters every score: without it, each score lacks that bias's dot product with the key.",
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
        around={"project": _doubled("q_bias", "k_bias", "v_bias")},
        why="A linear layer adds its bias itself; a second time it shifts queries and values once more.",
    ),
    Mistake(
        "output_bias_twice",
        "the bias of the output projection was added twice",
        around={"project_out": _doubled("o_bias")},
        why="A linear layer adds its bias itself; a second time it shifts every output once more.",
    ),
)
"""Ignoring the keys' bias alone is no mistake: it adds the same to all scores of a query, and the softmax drops it."""


def _detached(name: str, whose: str, weights: str, step: str = "project") -> Mistake:
    cut = with_weights(lambda w: replace(w, **{each: getattr(w, each).detach() for each in weights}))
    return Mistake(
        name,
        f"the {whose} weights were detached from the graph: they got no gradient",
        around={step: cut},
        why="A weight without a gradient is never trained: it stays as it was drawn.",
    )


OUTPUT_WEIGHTS_DETACHED = _detached("output_weights_detached", "output projection's", "o", "project_out")
FUSED_WEIGHTS_DETACHED = _detached("input_weights_detached", "input projection's", "qkv")
"""A mistake for contracts in which one layer makes queries, keys and values."""

WEIGHTS_DETACHED = (
    _detached("query_weights_detached", "query projection's", "q"),
    _detached("key_weights_detached", "key projection's", "k"),
    _detached("value_weights_detached", "value projection's", "v"),
)
"""Mistakes for contracts in which each projection has a layer of its own."""
