"""Start values that nn.Linear leaves are named, in the layers in which they were left."""

import pytest

from grader.records import Verdict
from tests.grading import graded, results
from tests.mistakes import edited

WEIGHTS, BIASES = "            nn.init.xavier_uniform_(layer.weight)\n", "                nn.init.zeros_(layer.bias)\n"
LEFT = "{} started uniformly within 1 / sqrt(E), as nn.Linear leaves them"


def named(*changes: tuple[str, str]) -> dict[str, str | None]:
    """What is named, by the name of each check that fails."""
    report = graded("module", edited("module", changes))
    return {check.name: check.mistake for check in results(report) if check.verdict is not Verdict.PASS}


@pytest.mark.slow
def test_weights_that_are_left_are_named() -> None:
    said = named((WEIGHTS, ""))
    weights = LEFT.format("W_K.weight, W_O.weight, W_Q.weight and W_V.weight")
    assert {"weights_start_xavier_uniform": weights} == said


@pytest.mark.slow
def test_one_layer_that_is_left_is_named_by_itself() -> None:
    said = named(("(self.W_Q, self.W_K, self.W_V, self.W_O)", "(self.W_Q, self.W_K, self.W_V)"))
    both = LEFT.format("W_O.bias and W_O.weight")
    assert {"weights_start_xavier_uniform": both, "biases_start_at_zero": both} == said


@pytest.mark.slow
def test_biases_that_are_left_are_named() -> None:
    biases = LEFT.format("W_K.bias, W_O.bias, W_Q.bias and W_V.bias")
    assert {"biases_start_at_zero": biases} == named((BIASES, "                pass\n"))


def test_weights_that_are_drawn_normally_are_named() -> None:
    said = named(("nn.init.xavier_uniform_(layer.weight)", "nn.init.xavier_normal_(layer.weight)"))
    weights = "W_K.weight, W_O.weight, W_Q.weight and W_V.weight"
    sentence = f"{weights} started normally distributed with the spread that is wanted, as xavier_normal_ draws them"
    assert {"weights_start_xavier_uniform": sentence} == said


@pytest.mark.parametrize(
    ("drawn", "bound"),
    [
        (
            "xavier_uniform_(layer.weight, gain=2**-0.5)",
            "within sqrt(6 / (3 E + E)), Xavier's bound of one (3 E, E) matrix for three projections",
        ),
        ("kaiming_uniform_(layer.weight)", "within sqrt(6 / E), as kaiming_uniform_ draws them by default"),
    ],
)
def test_weights_within_another_bound_are_named(drawn: str, bound: str) -> None:
    said = named(("xavier_uniform_(layer.weight)", drawn))
    weights = "W_K.weight, W_O.weight, W_Q.weight and W_V.weight"
    assert {"weights_start_xavier_uniform": f"{weights} started {bound}"} == said


@pytest.mark.slow
@pytest.mark.parametrize(
    "drawn",
    [
        "nn.init.normal_(layer.weight, std=0.078)",
        "nn.init.uniform_(layer.weight, -0.1, 0.1)",
        "nn.init.zeros_(layer.weight)",
    ],
)
def test_other_start_values_are_not_named_so(drawn: str) -> None:
    said = named(("nn.init.xavier_uniform_(layer.weight)", drawn))
    assert "weights_start_xavier_uniform" in said
    assert said["weights_start_xavier_uniform"] is None
