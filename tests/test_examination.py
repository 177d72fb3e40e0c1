"""A test that takes rounding for a flaw is told so: the same attention, computed in float64, is asked beside it."""

import pytest

from grader.records import CheckResult, Verdict
from tests.grading import first_failure, graded, result
from tests.mistakes import edited

KATA = "write_head_permutation_test"
BOUND = "assert change < 1e-3"
ROUNDING = "the same, computed in float64 and rounded, was accepted: rounding was refused"


def first_of(source: str) -> CheckResult:
    return first_failure(graded(KATA, source))


@pytest.mark.slow
def test_a_tolerance_below_rounding_is_told_by_the_same_attention_in_float64() -> None:
    first = first_of(edited(KATA, ((BOUND, "assert torch.allclose(after, before, rtol=1e-8)"),)))
    assert "the_contract" == first.name
    assert str(first.got).endswith(f"; {ROUNDING}")


@pytest.mark.slow
def test_a_right_attention_that_is_refused_for_more_than_rounding_is_told_without_it() -> None:
    first = first_of(edited(KATA, (('permuted["W_O.weight"] = parameters["W_O.weight"][:, features]', ""),)))
    assert ROUNDING not in str(first.got)


@pytest.mark.slow
def test_what_shows_no_rounding_is_accepted_by_a_test_that_asks_for_equal_numbers() -> None:
    report = graded(KATA, edited(KATA, ((BOUND, "assert change == 0"),)))
    assert Verdict.PASS is result(report, "a_mean_of_all_keys_is_accepted").verdict
    assert ROUNDING in str(result(report, "the_contract").got)
