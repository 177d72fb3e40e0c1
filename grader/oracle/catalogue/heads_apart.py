"""Flaws that treat a head by its number. Each has a strength: 0 changes nothing, a small one only changes digits.

A candidate's test of equivariance is given modules with these flaws: a permutation of their heads changes more than the
order of the heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from grader.checks.draw import causal
from grader.oracle import pipeline
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context

_WHY = "Heads have no number but the place of their weights: what is done to one by its number, no weights can learn."


def _numbers(heads: Tensor) -> Tensor:
    """The numbers 0, 1, ... of the heads of (N, H, ., .), as (H, 1, 1)."""
    return torch.arange(heads.shape[1], dtype=heads.dtype)[:, None, None]


def _at(place: int, heads: Tensor) -> Tensor:
    """1 for the head with this number and 0 for the others, (H, 1, 1)."""
    return (_numbers(heads) == place).to(heads.dtype)


def _flaw(name: str, sentence: str, **steps: Callable[..., object]) -> Mistake:
    return Mistake(name, sentence, dict(steps), why=_WHY)


def _of_answers(name: str, sentence: str, other: Callable[[Tensor], Tensor]) -> Mistake:
    """A flaw that changes the heads' outputs, (N, H, L, D), before they are merged."""
    return _flaw(name, sentence, merge=lambda mixed, c: pipeline.merge(other(mixed), c))


def _of_scores(name: str, sentence: str, other: Callable[[Tensor], Tensor]) -> Mistake:
    """A flaw that changes the scaled scores, (N, H, L, S), before the mask is applied."""
    return _flaw(name, sentence, scale=lambda scores, c: other(pipeline.scale(scores, c)))


def _blended(heads: Tensor, others: Tensor, strength: float) -> Tensor:
    return heads + strength * (others - heads)


def answers_by_number(strength: float) -> Mistake:
    """Each head's output counts more than the output of the head before it."""
    return _of_answers(
        "answers_by_number",
        "each head's answer was weighed by the head's number",
        lambda mixed: mixed * (1 + strength * _numbers(mixed)),
    )


def temperature_by_number(strength: float) -> Mistake:
    """Each head's softmax is sharper than that of the head before."""
    return _of_scores(
        "temperature_by_number",
        "each head's scores had a temperature of their own, by the head's number",
        lambda scores: scores * (1 + strength * _numbers(scores)),
    )


def slopes_by_number(strength: float) -> Mistake:
    """Distant keys lose score by a slope of each head, as in ALiBi (Press et al. 2022); it grows from head to head."""

    def sloped(scores: Tensor) -> Tensor:
        queries, keys = (torch.arange(size, dtype=scores.dtype) for size in scores.shape[-2:])
        distance = (queries[:, None] - keys).abs()
        return scores - strength * (1 + _numbers(scores)) / scores.shape[1] * distance

    return _of_scores("slopes_by_number", "far keys lost weight by a slope for each head, by the head's number", sloped)


def one_head_sharper(place: int, strength: float) -> Mistake:
    """One head has a scale of its own."""
    return _of_scores(
        "one_head_sharper",
        "one head, chosen by its number, had a scale of its own",
        lambda scores: scores * (1 + strength * _at(place, scores)),
    )


def one_head_weaker(place: int, strength: float) -> Mistake:
    """One head's answer counts less; at strength 1 it is dropped."""
    return _of_answers(
        "one_head_weaker",
        "one head, chosen by its number, was dropped in whole or in part",
        lambda mixed: mixed * (1 - strength * _at(place, mixed)),
    )


def next_heads_answer(strength: float) -> Mistake:
    """Each head's output is mixed with the next head's, the last with the first: a shift of all heads hides it."""
    return _of_answers(
        "next_heads_answer",
        "each head's answer was mixed with the next head's, in a circle",
        lambda mixed: _blended(mixed, mixed.roll(-1, dims=1), strength),
    )


def both_neighbours_answers(strength: float) -> Mistake:
    """As `next_heads_answer`, but with the neighbours on both sides: shifts and a reversal hide it."""
    return _of_answers(
        "both_neighbours_answers",
        "each head's answer was mixed with those of its two neighbours, in a circle",
        lambda mixed: _blended(mixed, (mixed.roll(1, dims=1) + mixed.roll(-1, dims=1)) / 2, strength),
    )


def opposite_heads_weights(strength: float) -> Mistake:
    """Each head's weights are mixed with those of the opposite head, the first with the last: a reversal hides it."""
    return _flaw(
        "opposite_heads_weights",
        "the heads were taken in reverse order: each used the weights of the one opposite",
        weighted_sum=lambda weights, value, c: _blended(weights, weights.flip(1), strength) @ value,
    )


def pairs_share_values(strength: float) -> Mistake:
    """Heads 0 and 1, 2 and 3, ... share values, as in grouped-query attention; the number of heads must be even."""

    def shared(weights: Tensor, value: Tensor, c: Context) -> Tensor:
        pairs = value.unflatten(1, (-1, 2))
        means = pairs.mean(2, keepdim=True).expand_as(pairs).flatten(1, 2)
        return weights @ _blended(value, means, strength)

    return _flaw("pairs_share_values", "two heads next to each other shared their values", weighted_sum=shared)


def values_exchanged(one: int, other: int, strength: float) -> Mistake:
    """Two heads exchange their values.

    Args:
        one: the number of a head.
        other: the number of another head.
        strength: how much of its values each gives away.
    """

    def exchanged(weights: Tensor, value: Tensor, c: Context) -> Tensor:
        order = list(range(value.shape[1]))
        order[one], order[other] = other, one
        return weights @ _blended(value, value[:, order], strength)

    return _flaw(
        "values_exchanged", "two heads, chosen by their numbers, exchanged their values", weighted_sum=exchanged
    )


def odd_heads_causal(strength: float) -> Mistake:
    """Every second head gives later keys less weight; at strength 1 hardly any."""

    def hidden(scores: Tensor, c: Context) -> Tensor:
        later = (~causal(*scores.shape[-2:])).to(scores.dtype)
        return pipeline.mask(scores - 20 * strength * (_numbers(scores) % 2) * later, c)

    return _flaw("odd_heads_causal", "every second head was causal, and the others were not", mask=hidden)


def other_sequences_shifted(strength: float) -> Mistake:
    """The first sequence of a batch is right; in the others each head's output is mixed with the next head's."""

    def shifted(mixed: Tensor) -> Tensor:
        return torch.cat([mixed[:1], _blended(mixed[1:], mixed[1:].roll(-1, dims=1), strength)])

    return _of_answers("other_sequences_shifted", "in all sequences but the first the heads had another order", shifted)


def value_bias_of_next_head(strength: float) -> Mistake:
    """The bias of each head's values is mixed with the next head's."""
    return _with_biases(
        "value_bias_of_next_head", "each head's values were given the next head's bias", v=lambda b: b.roll(-1, dims=0)
    )(strength)


def query_bias_of_first_head(strength: float) -> Mistake:
    """The bias of each head's queries is mixed with the first head's."""
    return _with_biases(
        "query_bias_of_first_head",
        "the queries of all heads were given the first head's bias",
        q=lambda b: b[:1].expand_as(b),
    )(strength)


def _with_biases(name: str, sentence: str, **others: Callable[[Tensor], Tensor]) -> Callable[[float], Mistake]:
    """A flaw, by its strength, that changes biases; each function maps a bias as (H, D) to the one to mix it with."""

    def of(strength: float) -> Mistake:
        def project(c: Context) -> tuple[Tensor, Tensor, Tensor]:
            changed = {}
            for which, other in others.items():
                bias = getattr(c.weights, f"{which}_bias")
                if bias is not None:
                    heads = bias.unflatten(0, (c.size.num_heads, c.size.head_dim))
                    changed[f"{which}_bias"] = _blended(heads, other(heads), strength).flatten()
            return pipeline.project(replace(c, weights=replace(c.weights, **changed)))

        return _flaw(name, sentence, project=project)

    return of
