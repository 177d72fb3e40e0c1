"""A layer without the contract's biases is compared with one that lacks the same, and loses what speaks of them."""

from collections.abc import Callable

import pytest

from grader.records import Verdict
from tests.grading import graded, result, results, solution

WITHOUT: dict[str, Callable[[str], str]] = {
    "plain_class": lambda source: source.replace("(d_model, d_model)\n", "(d_model, d_model, bias=False)\n"),
    "fused_qkv": lambda source: source.replace("3 * d_model)\n", "3 * d_model, bias=False)\n"),
    "scaffold": lambda source: source.replace("bias=cfg.bias)", "bias=False)"),
    "module": lambda source: source.replace("bias=bias)\n", "bias=False)\n").replace("nn.init.zeros_", "id"),
}
"""Makes our solution one without."""
NO_SCALE = "the scores were not divided by sqrt(head_dim)"


@pytest.mark.parametrize(
    ("kata", "fails", "missing"),
    [
        ("plain_class", {"each_layer_has_a_bias"}, "W_q.bias, W_k.bias, W_v.bias, W_o.bias"),
        ("fused_qkv", {"number_of_parameters_with_bias"}, "qkv_proj.bias"),
        ("scaffold", {"number_of_parameters"}, "q_proj.bias, k_proj.bias, v_proj.bias, out_proj.bias"),
        (
            "module",
            {"number_of_parameters", "biases_start_at_zero", "extra_repr_names_the_sizes"},
            "W_Q.bias, W_K.bias, W_V.bias, W_O.bias",
        ),
    ],
)
def test_it_loses_the_checks_on_parameters_alone(kata: str, fails: set[str], missing: str) -> None:
    report = graded(kata, WITHOUT[kata](solution(kata)))
    failed = [check for check in results(report) if check.verdict is not Verdict.PASS]
    assert fails == {check.name for check in failed}
    assert ("parameters that are missing", "none", missing) == (failed[0].what, failed[0].expected, failed[0].got)


def test_a_mistake_beside_is_named() -> None:
    unscaled = solution("plain_class").replace(" / math.sqrt(self.head_dim)", "")
    assert result(graded("plain_class", WITHOUT["plain_class"](unscaled)), "without_a_mask").mistake == NO_SCALE


def test_a_bias_that_is_there_counts() -> None:
    source = WITHOUT["fused_qkv"](solution("fused_qkv"))
    doubled = source.replace("self.out_proj(merged)", "self.out_proj(merged) + self.out_proj.bias")
    named = result(graded("fused_qkv", doubled), "without_a_mask").mistake
    assert named == "the bias of the output projection was added twice"
