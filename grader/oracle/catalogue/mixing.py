"""Mistakes where weights and values meet, and in what is returned as the weights."""

from torch import Tensor

from grader.oracle import pipeline
from grader.oracle.mistake import Mistake, preceded_by

WEIGHTS_AND_VALUES = (
    Mistake(
        "weights_squared",
        "the attention weights were squared before they met the values",
        around={"weighted_sum": preceded_by(Tensor.square)},
        why="The squares of numbers that sum to 1 sum to less: an output is no mean of the values any more.",
    ),
    Mistake(
        "values_by_transposed_weights",
        "the weights were transposed before they met the values",
        around={"weighted_sum": preceded_by(lambda weights: weights.mT)},
        why="A row of weights is a query's: of the columns, which belong to keys, none sums to 1.",
    ),
    Mistake(
        "values_of_the_key_before",
        "each key handed over the value of the key before it: the values were one place off",
        around={"weighted_sum": lambda step: lambda weights, value, c: step(weights, value.roll(1, dims=-2), c)},
        why="A weight says how well one token matches: what it brings must be that token's value.",
    ),
)

SCORES_RETURNED = Mistake(
    "scores_returned_as_weights",
    "the masked scores were returned as the weights, as they were before the softmax",
    {
        "softmax": lambda scores, c: scores,
        "dropout": lambda scores, c: pipeline.dropout(pipeline.softmax(scores, c), c),
    },
    why="Scores may be negative and sum to anything: they do not say what share of each value came out.",
)
"""A mistake for contracts that return the weights; the output is right."""
