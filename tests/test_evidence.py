"""What a failed check keeps for a picture, and modules that a kit leaves out."""

import math
from collections.abc import Callable

import pytest
import torch

from grader.checks import expect
from grader.judge.evidence import MOST_VALUES, evidence
from grader.optional import is_there, optional
from grader.records import Evidence, Verdict
from tests.grading import graded, results, solution


def compared(claim: Callable[[], object]) -> Evidence | None:
    with pytest.raises(expect.Mismatch) as caught:
        claim()
    return evidence(caught.value.compared)


def test_values_that_differ_are_kept_beside_those_expected() -> None:
    got = torch.tensor([[1.0, 2.0000001], [math.nan, 4.123456789]], dtype=torch.float64)
    difference = compared(lambda: expect.close("output", got, torch.tensor([[1.0, 2.0], [3.0, 5.0]])))
    assert difference == Evidence(((1.0, 2.0), ("nan", 4.12346)), ((0, 0), (1, 1)), ((1.0, 2.0), (3.0, 5.0)))


def test_a_claim_about_the_values_alone_expects_none() -> None:
    difference = compared(lambda: expect.finite("output", torch.tensor([1.0, -math.inf])))
    assert Evidence((1.0, "-inf"), (0, 1)) == difference
    where = torch.tensor([False, True, True])
    difference = compared(lambda: expect.zero("weights", torch.tensor([1.0, 1.0, 0.0]), where))
    assert Evidence((1.0, 1.0, 0.0), (0, 1, 0)) == difference


@pytest.mark.parametrize("got", [torch.ones(MOST_VALUES + 1), torch.tensor(1.0)], ids=["large", "number"])
def test_what_is_no_picture_is_not_kept(got: torch.Tensor) -> None:
    assert compared(lambda: expect.zero("weights", got)) is None


def test_a_claim_without_tensors_has_none() -> None:
    assert compared(lambda: expect.equal("dtype", 1, 2)) is None


def test_a_wrong_submission_is_reported_with_its_tensors() -> None:
    wrong = solution("scaled_dot_product").replace("math.sqrt(", "(")
    failed = [check for check in results(graded("scaled_dot_product", wrong)) if check.verdict is Verdict.FAIL]
    assert [] != [check for check in failed if check.evidence is not None]


def test_a_module_that_was_left_out_is_none() -> None:
    assert (True, False, False) == tuple(map(is_there, ("grader.wire", "grader.gone", "grader.gone.below")))
    assert optional("grader.gone") is None
    assert expect is optional("grader.checks.expect")
