"""Mistakes that few people make: each is compared with the values of one call before it is replayed."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import elu, gelu, leaky_relu, silu

from grader.checks.case import Case
from grader.listing import listed
from grader.oracle import pipeline
from grader.oracle.catalogue.additions import NORM_WHY, ROLES, made_of, normed, on_projections
from grader.oracle.catalogue.formula import shared_over, without_maximum
from grader.oracle.catalogue.layout import laid_out_before, split_interleaved
from grader.oracle.mistake import Mistake, followed_by, preceded_by

_OF_TOKEN = "A weight says how well one token matches: what it brings must be that token's value."


def _with_reversed_queries(case: Case) -> Case:
    return case.but(query=case.query.flip(-2), key=case.keys, value=case.values)


def _shared_over(what: str, *axes: int) -> Mistake:
    return Mistake(
        f"exponentials_shared_over_{what.replace(' ', '_')}",
        f"the exponentials of the scores, less each query's maximum, were divided by their sum over the {what}",
        {"softmax": shared_over(*axes)},
        why=_OWN_UNIT,
    )


_OWN_UNIT = "Each query shares one unit of weight among its keys, whatever other queries, heads and sequences do."
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
    Mistake(
        "scores_divided_by_their_sum",
        "the scores of a query were divided by their sum, without a softmax",
        {"softmax": lambda scores, c: scores / scores.sum(-1, keepdim=True)},
        why="Scores may be negative, and their sum near 0: only their exponentials are shares of a whole.",
    ),
    Mistake(
        "values_reversed",
        "the values were taken in reverse order: each key handed over the value of the key at the other end",
        {"weighted_sum": lambda weights, value, c: weights @ value.flip(-2)},
        why=_OF_TOKEN,
    ),
    Mistake(
        "values_of_another_sequence",
        "the values were taken from the batch in reverse order: each sequence got those of another one",
        {"weighted_sum": lambda weights, value, c: weights @ value.flip(0)},
        why=_OF_TOKEN,
    ),
    Mistake(
        "queries_reversed",
        "the queries were taken in reverse order: each token got the output of the token at the other end",
        around={"project": preceded_by(lambda c: replace(c, case=_with_reversed_queries(c.case)))},
        why="A row of the output belongs to the token that asks: the block around attention adds it to that token.",
        is_alone=True,
    ),
    Mistake(
        "softmax_over_the_whole_tensor",
        "the softmax was taken over the whole tensor of scores",
        {"softmax": lambda scores, c: c.style.softmax(scores.flatten(), 0).view_as(scores)},
        why=_OWN_UNIT,
    ),
    _shared_over("whole tensor"),
)


def _averaged(role: str) -> Mistake:
    """The mistake of taking the mean over the batch of the projected queries, keys or values."""

    def averaged(three: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(
            x.mean(0, keepdim=True).expand_as(x) if its == role else x for its, x in zip(ROLES, three, strict=True)
        )

    return Mistake(
        f"{role}_averaged_over_the_batch",
        f"the {role} were averaged over the batch: all sequences had the same",
        around={"project": followed_by(averaged)},
        why=_AVERAGED.format(role=role),
        is_alone=True,
    )


def _folded_by_heads(scores: Tensor) -> Tensor:
    return scores.transpose(0, 1).reshape(scores.shape)


def _unfolded(weights: Tensor) -> Tensor:
    n, heads = weights.shape[:2]
    return weights.reshape(heads, n, *weights.shape[2:]).transpose(0, 1)


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
_AVERAGED = "The sequences of a batch know nothing of each other: a token's {role} are its own."
_OF_EACH_HEAD = (
    ("queries", {"score": lambda query, key, c: query.softmax(-1) @ key.mT}),
    ("keys", {"score": lambda query, key, c: query @ key.softmax(-1).mT}),
    ("queries and keys", {"score": lambda query, key, c: query.softmax(-1) @ key.softmax(-1).mT}),
    ("values", {"weighted_sum": lambda weights, value, c: weights @ value.softmax(-1)}),
)
_SOME = (("queries", "keys"), *((role,) for role in ROLES))
_SPLIT_APART = (("queries",), ("keys",), ("values",), ("queries", "keys"))
RARER_OF_HEADS = (
    Mistake(
        "softmax_over_sequences_and_heads",
        "the softmax was taken over all sequences and heads, the first axis of scores folded to (N * H, L, S)",
        {"softmax": lambda scores, c: c.style.softmax(scores.flatten(0, 1), 0).view_as(scores)},
        why=_OWN_UNIT,
    ),
    _shared_over("heads", 1),
    Mistake(
        "heads_of_the_size_num_heads",
        "the features were split into head_dim heads of num_heads features: the two sizes were exchanged",
        {"split": lambda x, c: x.unflatten(-1, (c.size.head_dim, c.size.num_heads)).transpose(1, 2)},
        why="There are num_heads sets of weights, and each head looks at head_dim features.",
    ),
    *(_averaged(role) for role in ROLES),
    *(
        Mistake(
            f"softmax_over_features_of_{roles.replace(' ', '_')}",
            f"a softmax was applied over the features of each head's {roles}",
            steps,
            why=_BENT,
        )
        for roles, steps in _OF_EACH_HEAD
    ),
    Mistake(
        "softmax_of_queries_and_of_keys",
        "a softmax was applied over the features of each head's queries, and over the tokens of its keys",
        {"score": lambda query, key, c: query.softmax(-1) @ key.softmax(-2).mT},
        why="So does linear attention, which has no softmax of the scores: the contract's has that one alone.",
    ),
    Mistake(
        "scores_summed_over_heads",
        "the scores were summed over the heads, so that all heads had the same weights",
        around={"scale": followed_by(lambda scores: scores.sum(1, keepdim=True).expand_as(scores))},
        why="Each head chooses by features of its own: with one set of weights for all, they are one head.",
    ),
    Mistake(
        "scores_folded_by_heads",
        "the scores were folded head by head and read sequence by sequence: masks met those of other sequences",
        {
            "score": lambda query, key, c: _folded_by_heads(pipeline.score(query, key, c)),
            "weighted_sum": lambda weights, value, c: _unfolded(weights) @ value,
        },
        why="A tensor that was folded as (H * N, L, S) has to be read as (H, N, L, S) too.",
    ),
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
