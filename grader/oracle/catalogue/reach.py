"""Mistakes in how far attention reaches: keys left out by place or by rank, and sequences of a batch that mix."""

from collections.abc import Callable

import torch
from torch import Tensor

from grader.oracle import pipeline
from grader.oracle.mistake import Mistake, followed_by


def _without(name: str, sentence: str, why: str, left_out: Callable[[Tensor], Tensor]) -> Mistake:
    """A mistake that also hides the scores where `left_out`, bool and broadcastable to them, is True."""
    return Mistake(
        name,
        sentence,
        {"mask": lambda scores, c: pipeline.hide(pipeline.mask(scores, c), left_out(scores), c)},
        why=why,
    )


def _far(scores: Tensor) -> Tensor:
    """bool (L, S), True = more than four places between query and key."""
    queries, keys = scores.shape[-2:]
    return (torch.arange(queries)[:, None] - torch.arange(keys)).abs() > 4


def _small(scores: Tensor) -> Tensor:
    """bool (..., L, S), True = four other keys have larger scores."""
    return scores < scores.topk(min(4, scores.shape[-1])).values[..., -1:]


KEYS_LEFT_OUT = (
    _without(
        "far_keys_left_out",
        "keys more than four places away from the query were left out",
        "Attention reaches every key that no mask hides, however far away it stands.",
        _far,
    ),
    _without(
        "keys_after_16_left_out",
        "the keys after the 16th were left out",
        "How long a sequence may be is the caller's choice: a fixed number of keys cuts the longer ones off.",
        lambda scores: torch.arange(scores.shape[-1]) >= 16,
    ),
)

FOUR_LARGEST_SCORES = _without(
    "four_largest_scores_alone",
    "only each query's four largest scores were used, found before the mask was applied",
    "The softmax gives every key that may be seen a share: small shares of many keys add up.",
    _small,
)
"""Left out for katas that project and return weights: there, rounding decides which of equal scores are largest."""

KEYS_PAST_THE_QUERIES = _without(
    "keys_past_the_queries_left_out",
    "as many keys were used as there are queries: those after them were left out",
    "Keys may come from another sequence, however long: each query chooses among all of them.",
    lambda scores: torch.arange(scores.shape[-1]) >= scores.shape[-2],
)
"""A mistake for contracts in which there may be more keys than queries."""


def _less_the_mean(answers: Tensor) -> Tensor:
    return answers - answers.mean(0, keepdim=True)


def _of_the_first(answers: Tensor, how_many: int) -> Tensor:
    return torch.cat([answers[:how_many], torch.zeros_like(answers[how_many:])])


def _of_first_for_all(answers: Tensor) -> Tensor:
    return answers[:1].expand_as(answers)


def _mean_for_all(answers: Tensor) -> Tensor:
    return answers.mean(0, keepdim=True).expand_as(answers)


_ALONE = "The sequences of a batch are independent: each gets the answer that it would get alone."


def _answers(step: str, run: Callable[..., Tensor]) -> tuple[Mistake, ...]:
    """Mistakes that change the outputs of a batch; `run` is the oracle's step of that name, which gives them."""
    return (
        Mistake(
            "mean_of_the_batch_taken_off",
            "the mean over the sequences of the batch was taken off the output",
            {step: lambda *given: _less_the_mean(run(*given))},
            why=_ALONE,
        ),
        Mistake(
            "mean_of_the_batch_answers",
            "every sequence of the batch got the mean of all sequences' outputs",
            {step: lambda *given: _mean_for_all(run(*given))},
            why=_ALONE,
        ),
        Mistake(
            "sequences_reversed",
            "the sequences of the batch were answered in reverse order: each got the output of another sequence",
            {step: lambda *given: run(*given).flip(0)},
            why=_ALONE,
        ),
        Mistake(
            "two_sequences_answered",
            "the first two sequences of the batch were answered, and the output of all others was 0",
            {step: lambda *given: _of_the_first(run(*given), 2)},
            why=_ALONE,
        ),
        Mistake(
            "one_sequence_answered",
            "the first sequence of the batch was answered, and the output of all others was 0",
            {step: lambda *given: _of_the_first(run(*given), 1)},
            why=_ALONE,
        ),
        Mistake(
            "first_sequence_answers_for_all",
            "every sequence of the batch got the output of the first",
            {step: lambda *given: _of_first_for_all(run(*given))},
            why=_ALONE,
        ),
    )


BATCH = _answers("project_out", pipeline.project_out)
BATCH_OF_ONE_HEAD = _answers("weighted_sum", pipeline.weighted_sum)
"""Mistakes for attention whose output is the weighted sum."""


def _turned(x: Tensor) -> Tensor:
    """The first two axes exchanged: (N, L, E) as (L, N, E), and back."""
    return x.transpose(0, 1)


BATCH_AS_TIME = Mistake(
    "batch_as_time",
    "the batch axis was taken for time: each token attended to the tokens at its place in the other sequences",
    around={"project": followed_by(lambda three: tuple(map(_turned, three))), "project_out": followed_by(_turned)},
    why="In the contract's inputs the batch comes first: a token asks those of its own sequence, and no other.",
    is_alone=True,
)
