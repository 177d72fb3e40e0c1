"""Mistakes in the weights that are returned; the output is right, but for `AVERAGED_WHEN_ASKED`."""

from collections.abc import Callable

from torch import Tensor

from grader.oracle.mistake import Mistake


def _given(name: str, sentence: str, give: Callable[[Tensor], Tensor], why: str) -> Mistake:
    return Mistake(name, sentence, {"give": lambda weights, c: give(weights) if c.case.need_weights else None}, why=why)


AVERAGED_WEIGHTS = (
    _given(
        "weights_per_head",
        "the weights were not averaged over the heads",
        lambda w: w,
        why="The contract's weights have no axis for the heads: who reads a row would get another head's.",
    ),
    _given(
        "weights_summed",
        "the weights were summed over the heads, not averaged",
        lambda w: w.sum(1),
        why="The sum over H heads gives each query H units of weight: it is no distribution over the keys.",
    ),
    _given(
        "weights_maximum",
        "the largest weight of all heads was returned, not their average",
        lambda w: w.amax(1),
        why="The largest of several distributions sums to more than 1: it is no distribution over the keys.",
    ),
    _given(
        "weights_of_first_head",
        "the weights of the first head were returned, not the average",
        lambda w: w[:, 0],
        why="Heads look at different keys: one head's weights say nothing of what the others saw.",
    ),
    _given(
        "weights_transposed",
        "the weights were returned transposed",
        lambda w: w.mean(1).mT,
        why="A row belongs to a query and sums to 1: transposed, the rows belong to keys and sum to anything.",
    ),
)

WEIGHTS_TRANSPOSED = _given(
    "weights_transposed",
    "the weights were returned transposed",
    lambda w: w.mT,
    why="A row belongs to a query and sums to 1: transposed, the rows belong to keys and sum to anything.",
)

WEIGHTS_PER_HEAD = (
    _given(
        "weights_averaged",
        "the weights were averaged over the heads",
        lambda w: w.mean(1),
        why="The contract shows what each head looked at: an average hides which head saw what.",
    ),
    _given(
        "weights_of_first_head",
        "the weights of the first head alone were returned",
        lambda w: w[:, 0],
        why="Heads look at different keys: one head's weights say nothing of what the others saw.",
    ),
    *(
        _given(
            f"weights_of_{which}_head_for_all",
            f"the weights of the {which} head were returned for every head",
            lambda w, of=of: w[:, of].expand_as(w),
            why="Heads look at different keys: one head's weights say nothing of what the others saw.",
        )
        for which, of in (("first", slice(0, 1)), ("last", slice(-1, None)))
    ),
    WEIGHTS_TRANSPOSED,
)

WEIGHTS_OF_LAST_HEAD = Mistake(
    "weights_of_last_head",
    "the weights of the last head alone were returned",
    {"give": lambda weights, c: weights[:, -1] if c.case.need_weights else None},
    why="The heads look at different keys, and one head's weights say nothing of what the others saw.",
)

AVERAGED_WHEN_ASKED = Mistake(
    "heads_averaged_when_asked",
    "with the weights asked for, all heads used their average: asking changed the output",
    {
        "weighted_sum": lambda weights, value, c: (
            (weights.mean(1, keepdim=True) if c.case.need_weights else weights) @ value
        )
    },
    why="The weights are returned to be looked at: the answer is the same whether anybody looks.",
)
"""A mistake for contracts that return the weights on demand."""
