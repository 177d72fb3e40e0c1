"""Mistakes that attention under any contract invites; a kata takes the groups that it has a contract for."""

from grader.checks.mistakes.formula import NUMBERS, SCALE, SCALE_OF_ONE_HEAD, SOFTMAX, SOFTMAX_OVER_HEADS
from grader.checks.mistakes.layout import BIASES, LAYOUT, PROJECTIONS, WEIGHTS_MIXED_UP
from grader.checks.mistakes.masks import (
    MASKS,
    NAN_ROWS,
    NAN_WEIGHTS,
    ONE_MASK,
    ONES_ADDED_TO_HIDDEN,
    ONES_ADDED_TO_SEEN,
    TWO_MASKS,
)
from grader.checks.mistakes.training import DETACHED, DROPOUT, DROPOUT_ON_OUTPUT, NO_OUTPUT_DROPOUT
from grader.checks.mistakes.weights import AVERAGED_WEIGHTS, WEIGHTS_PER_HEAD, WEIGHTS_TRANSPOSED

FORMULA = (*SCALE, *SOFTMAX)

__all__ = [
    "AVERAGED_WEIGHTS",
    "BIASES",
    "DETACHED",
    "DROPOUT",
    "DROPOUT_ON_OUTPUT",
    "FORMULA",
    "LAYOUT",
    "MASKS",
    "NAN_ROWS",
    "NAN_WEIGHTS",
    "NO_OUTPUT_DROPOUT",
    "NUMBERS",
    "ONES_ADDED_TO_HIDDEN",
    "ONES_ADDED_TO_SEEN",
    "ONE_MASK",
    "PROJECTIONS",
    "SCALE",
    "SCALE_OF_ONE_HEAD",
    "SOFTMAX",
    "SOFTMAX_OVER_HEADS",
    "TWO_MASKS",
    "WEIGHTS_MIXED_UP",
    "WEIGHTS_PER_HEAD",
    "WEIGHTS_TRANSPOSED",
]
