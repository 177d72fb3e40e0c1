"""Mistakes that only training shows: dropout, and gradients that do not pass."""

import torch
from torch import Tensor

from grader.checks import pipeline
from grader.checks.mistake import Mistake
from grader.checks.pipeline import Context


def _dropped_always(weights: Tensor, c: Context) -> Tensor:
    return torch.nn.functional.dropout(weights, c.size.dropout)


def _not_rescaled(weights: Tensor, c: Context) -> Tensor:
    dropped = pipeline.dropout(weights, c)
    return dropped * (1 - c.size.dropout) if c.case.training else dropped


DROPOUT = (
    Mistake("no_dropout", "dropout was not applied to the attention weights", {"dropout": pipeline.drop_nothing}),
    Mistake("dropout_in_eval", "dropout was applied in eval mode too", {"dropout": _dropped_always}),
    Mistake("dropout_not_rescaled", "what dropout left was not scaled by 1 / (1 - p)", {"dropout": _not_rescaled}),
)

DROPOUT_ON_OUTPUT = Mistake(
    "dropout_on_output",
    "dropout was applied to the output, not to the attention weights",
    {"dropout": pipeline.drop_nothing, "drop_output": pipeline.dropout},
)
"""Where the contract drops weights alone."""

NO_OUTPUT_DROPOUT = Mistake(
    "no_output_dropout", "dropout was not applied to the output", {"drop_output": pipeline.drop_nothing}
)
"""Where the contract drops features of the output too."""

DETACHED = (
    Mistake(
        "output_detached",
        "no gradient passed: the output was cut off from its inputs",
        {"drop_output": lambda x, c: x.detach()},
    ),
    Mistake(
        "weights_detached",
        "the attention weights were cut off from the graph: queries and keys got no gradient",
        {"softmax": lambda scores, c: pipeline.softmax(scores, c).detach()},
    ),
    Mistake(
        "values_detached",
        "the values were cut off from the graph: they got no gradient",
        {"weighted_sum": lambda weights, value, c: weights @ value.detach()},
    ),
)
