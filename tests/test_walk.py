"""A program that goes beside another through a call takes over what both do alike, and answers as it does alone."""

import random
from dataclasses import replace

import pytest
import torch

from grader.checks.attention import AttentionCall
from grader.checks.case import Answer, Case, Projections, Size
from grader.oracle.mistake import apply
from grader.oracle.style import STYLES
from tests.grading import catalogue, oracle

SIZE = Size(embed_dim=12, num_heads=3)


def a_call() -> AttentionCall:
    """With both masks and other keys than queries, in which every query sees a key."""
    generator = torch.Generator().manual_seed(1)
    drawn = [torch.randn(12, 12, dtype=torch.float64, generator=generator) for _ in range(4)]
    query, key = (torch.randn(2, length, 12, dtype=torch.float64, generator=generator) for length in (4, 5))
    allow, keep = torch.ones(4, 5, dtype=torch.bool).tril(), torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    case = Case(query, key, allow=allow, keep=keep)
    return AttentionCall(case, SIZE, Projections(*drawn), Answer(query, None))


def same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("training", [False, True])
def test_each_mistake_and_pairs_of_them_answer_beside_the_oracle_as_alone(training: bool) -> None:
    (case, _, weights, *_), chance = a_call(), random.Random(1)
    case, size = case.but(training=training, seed=7), replace(SIZE, dropout=0.25)
    right, mistakes = oracle("scaffold"), list(catalogue("scaffold").values())
    beside = right.walk(case, size)
    right.run(case, size, weights, beside)
    compared = 0
    for one in mistakes:
        other = chance.choice(mistakes)
        for named in [(one,)] if one.meets(other) else [(one,), (one, other)]:
            program = apply(named, right).but(style=chance.choice(STYLES))
            try:
                alone = program.run(case, size, weights)
            except Exception:
                continue
            together = program.run(case, size, weights, program.walk(case, size, beside))
            assert all(map(same, alone, together)), [each.name for each in named]
            compared += 1
    assert compared > len(mistakes)


@pytest.mark.parametrize(
    ("name", "taken"),
    [("no_scale", 0), ("softmax_over_queries", 0), ("values_by_key_weights", 1), ("merge_by_view", 0)],
)
def test_what_comes_before_a_mistake_is_not_computed_again(name: str, taken: int) -> None:
    case, size, weights, *_ = a_call()
    right = oracle("scaffold")
    beside = right.walk(case, size)
    right.run(case, size, weights, beside)
    program = apply((catalogue("scaffold")[name],), right)
    projected = []
    counted = program.but(project=lambda c: projected.append(1) or program.project(c)) if taken else program
    walk = counted.walk(case, size, beside)
    counted.run(case, size, weights, walk)
    assert taken == len(projected)
    assert (walk.values["project"] is beside.values["project"]) is not bool(taken)
    assert not walk.is_the_same


def test_a_mistake_with_masks_is_the_oracle_itself_where_a_call_has_none() -> None:
    case, size, weights, *_ = a_call()
    case, right = case.but(allow=None, keep=None), oracle("scaffold")
    beside = right.walk(case, size)
    right.run(case, size, weights, beside)
    program = apply((catalogue("scaffold")["padding_mask_inverted"],), right)
    walk = program.walk(case, size, beside)
    program.run(case, size, weights, walk)
    assert walk.is_the_same


@pytest.mark.parametrize("seed", [7, None])
def test_a_mistake_that_draws_as_the_oracle_does_is_the_oracle_and_one_that_draws_more_is_not(seed: int | None) -> None:
    case, weights = a_call().case.but(allow=None, keep=None, training=True, seed=seed), a_call().weights
    right, size = oracle("scaffold"), replace(SIZE, dropout=0.25)
    beside = right.walk(case, size)
    right.run(case, size, weights, beside)
    for name, is_oracle in (("padding_mask_inverted", True), ("dropout_twice", False), ("dropout_on_scores", False)):
        program = apply((catalogue("scaffold")[name],), right)
        walk = program.walk(case, size, beside)
        program.run(case, size, weights, walk)
        assert walk.is_the_same is walk.has_joined is is_oracle, name
