"""Mistakes that few people make: each is compared with the values of one call before it is replayed."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import elu, gelu, leaky_relu, silu

from grader.checks.case import Case
from grader.listing import listed
from grader.oracle import pipeline
from grader.oracle.catalogue.additions import NORM_WHY, ROLES, made_of, normed, on_projections
from grader.oracle.catalogue.formula import without_maximum
from grader.oracle.catalogue.layout import laid_out_before, split_interleaved
from grader.oracle.mistake import Mistake

_UNSHARED = "Only divided by their sum do the exponentials of a query's scores share one unit of weight."
RARER = (
    Mistake(
        "scores_cut_off_at_0",
        "scores below 0 became 0 before the softmax",
        around={"scale": lambda step: lambda scores, c: step(scores, c).relu()},
        why="A score below 0 says that two tokens do not match: cut off, it weighs as much as a score of 0.",
    ),
    Mistake(
        "exponentials_unshared",
        "the exponentials of the scores were used as weights, without a division by their sum",
        {"softmax": lambda scores, c: scores.exp()},
        why=_UNSHARED,
    ),
    Mistake(
        "exponentials_below_the_largest_unshared",
        "the exponentials of the scores, less their maximum, were used as weights, without a division by their sum",
        {"softmax": lambda scores, c: without_maximum(scores).exp()},
        why=_UNSHARED,
    ),
    Mistake(
        "hidden_scores_with_another_sign",
        "hidden scores changed their sign: a key that matched least got the most weight",
        {"mask": lambda scores, c: torch.where(pipeline.hidden(scores, c), -scores, scores)},
        why="A hidden key has no weight, whatever its score: a mask that multiplies leaves the score in the softmax.",
    ),
)


def _real_rows(output: Tensor, case: Case) -> Tensor:
    """The output, with 0 in the rows of padded tokens where the call is self-attention."""
    return output if case.keep is None or case.key is not None else output * case.keep[:, :, None]


_BENT = "The projections are linear: a score is a dot product of them, and an output is a mean of the values."
_ACTIVATIONS: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("silu", silu),
    ("sigmoid", Tensor.sigmoid),
    ("elu", elu),
    ("leaky relu", leaky_relu),
    ("softmax over the features", lambda x: torch.softmax(x, -1)),
)
_OF_SOME = (*_ACTIVATIONS, ("gelu", gelu), ("tanh", Tensor.tanh))
_SOME = (("queries", "keys"), *((role,) for role in ROLES))
_SPLIT_APART = (("queries",), ("keys",), ("values",), ("queries", "keys"))
RARER_OF_HEADS = (
    *(on_projections(name, activation, _BENT) for name, activation in _ACTIVATIONS),
    *(on_projections(name, activation, _BENT, some) for name, activation in _OF_SOME for some in _SOME),
    made_of(
        "drop_output",
        "output_of_padding_zeroed",
        "in self-attention the output of padded tokens was set to 0",
        "The mask hides padding as a key: a padded token that asks gets an answer like any other.",
        lambda output, c: _real_rows(output, c.case),
    ),
    made_of(
        "merge",
        "residual_on_merged_heads",
        "the input was added to the merged heads, before the output projection",
        "A residual connection belongs to the block around attention, after the output projection.",
        lambda merged, c: merged + c.case.query,
    ),
    made_of(
        "merge",
        "layer_norm_on_merged_heads",
        "a layer norm was applied to the merged heads, before the output projection",
        NORM_WHY,
        lambda merged, c: normed(merged),
    ),
    *(
        laid_out_before(
            f"{'_and_'.join(some)}_split_interleaved",
            f"the features of the {listed(some)} alone were dealt out to the heads in turn, not in blocks of head_dim",
            "Queries, keys and values have to be split alike: a head of these has features of all the others' heads.",
            [ROLES.index(role) for role in some],
            split_interleaved,
        )
        for some in _SPLIT_APART
    ),
)
"""Mistakes for attention with projections and heads."""
