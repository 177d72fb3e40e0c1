"""Numbers that come as tensors of one element: right ones cost the claim on their type, and no other."""

import pytest

from tests.grading import graded, results
from tests.mistakes import edited
from tests.mistakes.write_memory_benchmark import SLOPE


@pytest.mark.slow
def test_an_exponent_that_is_a_tensor_costs_one_check() -> None:
    report = graded("write_memory_benchmark", edited("write_memory_benchmark", ((SLOPE, "x @ y / (x @ x)"),)))
    assert ["the_exponent_is_a_float"] == [check.name for check in results(report) if not check.points]
