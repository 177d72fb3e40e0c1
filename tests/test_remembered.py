"""What checks compare with is computed once for the same values, and anew for any other."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from grader.checks.case import Answer, Case, Projections, Size
from grader.checks.draw import Draw
from grader.oracle.remembered import recall, remember

SIZE = Size(embed_dim=8, num_heads=2)
CASE = Case(torch.arange(48.0, dtype=torch.float64).reshape(2, 3, 8))
WEIGHTS = Draw(1, "references").projections(SIZE)


@pytest.fixture
def counted() -> tuple[Callable[[Case, Size, Projections], Answer], list[Case]]:
    cases: list[Case] = []

    def compute(case: Case, size: Size, weights: Projections) -> Answer:
        cases.append(case)
        return Answer(case.query @ weights.q, None)

    return compute, cases


def test_the_same_values_in_other_tensors_are_the_same_question(counted) -> None:
    compute, cases = counted
    first = remember(compute, CASE, SIZE, WEIGHTS)
    again = remember(compute, CASE.but(query=CASE.query.clone()), SIZE, replace(WEIGHTS, q=WEIGHTS.q.clone()))
    assert first is again
    assert 1 == len(cases)


@pytest.mark.parametrize(
    "other",
    [
        (CASE.but(query=CASE.query + 1e-12), SIZE, WEIGHTS),
        (CASE.but(query=CASE.query.float().double().transpose(1, 2).contiguous().transpose(1, 2)), SIZE, WEIGHTS),
        (CASE.but(keep=torch.ones(2, 3, dtype=torch.bool)), SIZE, WEIGHTS),
        (CASE.but(training=True), SIZE, WEIGHTS),
        (CASE, replace(SIZE, num_heads=4), WEIGHTS),
        (CASE, SIZE, replace(WEIGHTS, q=WEIGHTS.q + 1e-12)),
        (CASE, SIZE, replace(WEIGHTS, q_bias=None)),
    ],
    ids=["a value", "strides", "a mask", "the mode", "the heads", "a weight", "no bias"],
)
def test_any_other_value_is_another_question(counted, other: tuple[Case, Size, Projections]) -> None:
    compute, cases = counted
    remember(compute, CASE, SIZE, WEIGHTS)
    remember(compute, *other)
    assert 2 == len(cases)


def test_what_was_remembered_is_recalled_and_nothing_is_computed(counted) -> None:
    compute, cases = counted
    assert recall(compute, CASE, SIZE, WEIGHTS) is None
    assert remember(compute, CASE, SIZE, WEIGHTS) is recall(compute, CASE, SIZE, WEIGHTS)
    assert 1 == len(cases)
