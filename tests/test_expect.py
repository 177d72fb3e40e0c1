"""The words of a check: when they hold, and what they say when they do not."""

import math
from collections.abc import Callable

import pytest
import torch

from grader.checks import expect
from grader.checks.expect import Mismatch, Refusal, Tolerance

ONES = torch.ones(2, 3)


def words(claim: Callable[[], object]) -> tuple[str, str, str]:
    """What a claim that does not hold says: what, expected, got."""
    with pytest.raises(Mismatch) as caught:
        claim()
    return caught.value.what, caught.value.expected, caught.value.got


def with_value(value: float, *place: int) -> torch.Tensor:
    """Ones (2, 3) with one other value."""
    changed = torch.ones(2, 3)
    changed[place] = value
    return changed


def test_a_mismatch_says_it_all_in_one_line() -> None:
    assert "output: expected 1, got 2" == str(Mismatch("output", "1", "2"))


def test_tensor_passes_a_tensor_on() -> None:
    assert expect.tensor("output", ONES) is ONES


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"),
        (True, "True"),
        (3, "3"),
        (0.5, "0.5"),
        ("text", "the string 'text'"),
        ("x" * 100, f"the string '{'x' * 60}'"),
        ((1, 2, 3), "a tuple of 3: 1, 2, 3"),
        ((), "a tuple of 0"),
        ([[1], None], "a list of 2: a list of 1, None"),
        ([0] * 5, "a list of 5"),
        (expect.Unsendable("a set"), "a set"),
        ([ONES], "a list of 1: a tensor of shape (2, 3)"),
        ({}, "a dict"),
        (torch.ones(2, 5), "a tensor of shape (2, 5)"),
        (torch.ones(2, dtype=torch.int64), "a tensor of shape (2,) and dtype int64"),
    ],
)
def test_describe_says_what_a_value_is(value: object, said: str) -> None:
    assert said == expect.describe(value)


def test_tensor_refuses_anything_else() -> None:
    assert ("output", "a tensor", "None") == words(lambda: expect.tensor("output", None))


@pytest.mark.filterwarnings("error")
def test_values_with_a_graph_are_compared_without_a_word() -> None:
    expect.close("output", torch.ones(2, requires_grad=True), torch.ones(2))


def test_shape_holds() -> None:
    expect.shape("output", ONES, N=2, L=3)


def test_shape_names_the_axes_that_it_expects() -> None:
    said = words(lambda: expect.shape("weights", ONES, N=2, H=3, L=5, S=7))
    assert ("weights", "shape (N=2, H=3, L=5, S=7)", "shape (2, 3)") == said


def test_shape_may_name_an_axis_twice() -> None:
    assert "shape (E=2, E=4)" == words(lambda: expect.shape("W_Q.weight", ONES, E=2, E_=4))[1]


def test_shape_of_no_tensor() -> None:
    assert ("output", "a tensor", "a tuple of 2: 1, 2") == words(lambda: expect.shape("output", (1, 2), N=2))


def test_close_holds_within_the_tolerance() -> None:
    expect.close("output", ONES * (1 + 1e-5), ONES)
    expect.close("output", ONES + 1e-6, ONES)
    expect.close("output", ONES, 1.0)
    expect.close("output", torch.ones(2, 3, dtype=torch.bool), ONES)


def test_close_names_the_worst_place_and_counts() -> None:
    got = with_value(3.0, 1, 2)
    got[0, 0] = 1.5
    said = words(lambda: expect.close("output", got, ONES))
    assert ("output", "1 at [1, 2]  (atol 1e-06, rtol 1e-05)", "3 at [1, 2]; 2 of 6 values differ") == said


def test_close_with_a_tolerance_of_its_own() -> None:
    said = words(lambda: expect.close("output", ONES * 1.5, ONES, Tolerance(0.25, 0.0)))
    assert ("output", "1 at [0, 0]  (atol 2e-01)", "1.5 at [0, 0]; 6 of 6 values differ") == said


def test_close_never_lets_shapes_broadcast() -> None:
    said = words(lambda: expect.close("output", torch.ones(3), ONES))
    assert ("output", "shape (2, 3)", "shape (3,)") == said
    assert "shape (2, 1)" == words(lambda: expect.close("output", torch.ones(2, 1), ONES))[2]


def test_close_of_a_single_number_has_no_place() -> None:
    said = words(lambda: expect.close("share", torch.tensor(0.25), 0.5))
    assert ("share", "0.5  (atol 1e-06, rtol 1e-05)", "0.25") == said


@pytest.mark.parametrize("other", [math.nan, math.inf, 1.0])
def test_nan_equals_nothing(other: float) -> None:
    said = words(lambda: expect.close("output", with_value(math.nan, 0, 1), with_value(other, 0, 1)))
    assert "nan at [0, 1]; 1 of 6 values differ" == said[2]


def test_infinity_is_not_close_to_a_number() -> None:
    said = words(lambda: expect.close("output", with_value(math.inf, 0, 1), ONES))
    assert "inf at [0, 1]; 1 of 6 values differ" == said[2]


def test_zero_lets_what_finfo_min_leaves_behind_pass() -> None:
    expect.zero("weights", torch.full((2, 3), 1e-13, dtype=torch.float64))


def test_zero_names_the_first_place() -> None:
    said = words(lambda: expect.zero("weights", with_value(0.5, 0, 1) - 1))
    assert ("weights", "0 at [0, 1]", "-0.5 at [0, 1]; 1 of 6 values are wrong") == said


def test_zero_looks_only_where_it_is_told() -> None:
    where = torch.tensor([True, False, False])
    expect.zero("weights", torch.tensor([0.0, 1.0, 1.0]), where=where)
    said = words(lambda: expect.zero("weights", torch.tensor([1.0, 1.0, 0.0]), where=where))
    assert ("weights", "0 at [0]", "1 at [0]; 1 of 1 values are wrong") == said


def test_zero_does_not_take_nan_for_zero() -> None:
    assert (
        "nan at [1, 1]; 1 of 6 values are wrong" == words(lambda: expect.zero("w", with_value(math.nan, 1, 1) * 0))[2]
    )


def test_at_least() -> None:
    expect.at_least("weights", ONES, 1.0)
    said = words(lambda: expect.at_least("weights", with_value(-0.5, 1, 0), 0.0))
    assert ("weights", "at least 0 at [1, 0]", "-0.5 at [1, 0]; 1 of 6 values are wrong") == said
    said = words(lambda: expect.at_least("weights", with_value(math.nan, 0, 0), 0.0))
    assert "nan at [0, 0]; 1 of 6 values are wrong" == said[2]


def test_at_most() -> None:
    expect.at_most("logits", ONES, 1.0)
    said = words(lambda: expect.at_most("logits", with_value(2.0, 1, 0), 1.0))
    assert ("logits", "at most 1 at [1, 0]", "2 at [1, 0]; 1 of 6 values are wrong") == said


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_finite(value: float) -> None:
    expect.finite("output", ONES)
    said = words(lambda: expect.finite("output", with_value(value, 0, 2)))
    assert ("output", "a finite value at [0, 2]", f"{value} at [0, 2]; 1 of 6 values are wrong") == said


def test_differ() -> None:
    expect.differ("output", ONES, ONES * 1.001, "after the keys changed")
    said = words(lambda: expect.differ("output", ONES, ONES + 1e-10, "after the keys changed"))
    assert ("output", "a different output after the keys changed", "an identical one") == said


def test_nan_in_both_is_no_difference() -> None:
    blank = torch.full((2,), math.nan)
    assert "an identical one" == words(lambda: expect.differ("output", blank, blank.clone(), "than before"))[2]


def test_equal() -> None:
    expect.equal("dtype", torch.float64, torch.float64)
    said = words(lambda: expect.equal("dtype of the output", torch.float32, torch.float64))
    assert ("dtype of the output", "torch.float64", "torch.float32") == said


def test_all_defaults_that_differ_are_told_at_once() -> None:
    wanted = {"dropout": 0.0, "need_weights": True, "bias": True}
    expect.defaults(wanted, wanted)
    said = words(lambda: expect.defaults(wanted | {"dropout": "above 0", "need_weights": False}, wanted))
    assert "dropout and need_weights" == said[0]
    assert ("0.0 and True by default", "above 0 and False by default") == said[1:]


def test_nothing() -> None:
    expect.nothing("weights", None)
    said = words(lambda: expect.nothing("weights", torch.ones(2, 5)))
    assert ("weights", "None", "a tensor of shape (2, 5)") == said


def raising(kind: str, *bases: str) -> Callable[[], object]:
    def call() -> object:
        raise Refusal(kind, (kind, *bases), "10 is no multiple of 3", None)

    return call


def test_refuses_takes_the_exception_and_those_derived_from_it() -> None:
    expect.refuses("size 10", raising("ValueError"), "AssertionError", "ValueError")
    expect.refuses("size 10", raising("BadSize", "ValueError"), "AssertionError", "ValueError")


def test_refuses_says_that_nothing_was_raised() -> None:
    said = words(lambda: expect.refuses("size 10", lambda: None, "AssertionError", "ValueError"))
    assert ("size 10", "AssertionError or ValueError", "no exception") == said


def test_refuses_says_which_other_exception_was_raised() -> None:
    said = words(lambda: expect.refuses("size 10", raising("TypeError"), "ValueError"))
    assert ("size 10", "ValueError", "raised TypeError: 10 is no multiple of 3") == said


def test_the_tolerance_of_a_dtype_grows_with_its_rounding_and_with_the_values() -> None:
    fine, single = expect.rounding(torch.float64, ONES), expect.rounding(torch.float32, ONES)
    coarse = expect.rounding(torch.bfloat16, ONES)
    assert expect.PARITY.atol == fine.atol  # a softmax in float32 inside is no wrong answer
    assert fine.atol < single.atol < 1e-5 < 0.1 < coarse.atol < 0.5
    assert 4 * coarse.atol == expect.rounding(torch.bfloat16, ONES * 4).atol
