"""Mistakes in the weights that are returned beside a right output."""

from collections.abc import Callable

from torch import Tensor

from grader.checks.mistake import Mistake


def _given(name: str, sentence: str, give: Callable[[Tensor], Tensor]) -> Mistake:
    return Mistake(name, sentence, {"give": lambda weights, c: give(weights) if c.case.need_weights else None})


AVERAGED_WEIGHTS = (
    _given("weights_per_head", "the weights were not averaged over the heads", lambda w: w),
    _given("weights_summed", "the weights were summed over the heads, not averaged", lambda w: w.sum(1)),
    _given("weights_maximum", "the largest weight of all heads was returned, not their average", lambda w: w.amax(1)),
    _given("weights_of_first_head", "the weights of the first head were returned, not the average", lambda w: w[:, 0]),
    _given("weights_transposed", "the weights were returned transposed", lambda w: w.mean(1).mT),
)

WEIGHTS_TRANSPOSED = _given("weights_transposed", "the weights were returned transposed", lambda w: w.mT)

WEIGHTS_PER_HEAD = (
    _given("weights_averaged", "the weights were averaged over the heads", lambda w: w.mean(1)),
    _given("weights_of_first_head", "the weights of the first head alone were returned", lambda w: w[:, 0]),
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
"""Where the weights are returned on demand."""
