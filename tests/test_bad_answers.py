"""Answers of a kind that nobody asked for: each gets a verdict with a sentence of its own, and the judge goes on."""

import pytest

from grader.records import CheckResult, Verdict
from tests.grading import first_failure, graded, points_of_attention, result, results, summary
from tests.mistakes import edited

RETURNS = {
    "scaled_dot_product": ("return ", "attention_weights @ v", ", ", "attention_weights"),
    "plain_class": ("return ", "self.W_o(attended.transpose(1, 2).flatten(2))", "", ""),
    "functional": ("return ", "F.linear(merged, w_o)", "", ""),
    "scaffold": ("return ", "y", ", ", "weights.mean(dim=1) if need_weights else None"),
    "module": ("return ", "output", ", ", "weights if return_attention else None"),
    "fused_qkv": ("return ", "self.out_proj(merged)", ", ", "weights"),
    "rope": ("return ", "self.W_O(merged)", ", ", "weights"),
    "sdpa_backend": ("return ", "output", ", ", "self._weights(Q, K, allowed) if return_attention else None"),
}
"""What our solutions return, in parts: the output is the second, the weights are the last."""
WORDS = """
import collections
import torch
from torch import nn

Pair = collections.namedtuple("Pair", "first second")
Mine = type("Mine", (torch.Tensor,), {})
Odd = type("Odd", (), {})
"""
FLOATS = "a dense tensor of floating-point numbers"


def returning(kata: str, answer: str) -> str:
    """Our solution with another answer: `y` stands for its output, `w` for its weights."""
    before, output, _, weights = parts = RETURNS[kata]
    y_and_w = f"(lambda y, w: {answer})({output}, {weights or None})"
    return WORDS + edited(kata, (("".join(parts), before + y_and_w),))


def wording_of(check: CheckResult) -> tuple[str | None, str | None, str | None]:
    return check.what, check.expected, check.got


NO_TENSORS = [
    ("None", "None, as where return is missing"),
    ("7", "7"),
    ("0.5", "0.5"),
    ("True", "True"),
    ("10**30", "an int too long or too deep to send"),
    ("1j", "the complex number 1j"),
    ("'y'", "the string 'y'"),
    ("b'y'", "a bytes"),
    ("y.detach().numpy()", "a numpy.ndarray of shape (2, 5, 30)"),
    ("{'y': y}", "a dict"),
    ("{7}", "a set"),
    ("range(2)", "a range"),
    ("(each for each in y)", "a generator, as yield or (... for ... in ...) makes: it holds no values yet"),
    ("lambda: y", "the function <lambda>, not what it returns"),
    ("y.flatten", "the function flatten, not what it returns"),
    ("torch.Tensor", "the class torch.Tensor, not an object of it"),
    ("Odd", "the class Odd, not an object of it"),
    ("Odd()", "an object of the class Odd"),
    ("y.dtype", "an object of the class torch.dtype"),
    ("nn.Identity()", "a layer of the class torch.nn.modules.linear.Identity, not what it returns"),
    ("torch", "a module"),
    ("()", "a tuple of 0"),
    ("y.tolist()", "a list of 2: a list of 5, a list of 5"),
]
"""What is returned, and what is said of it."""


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize(("answer", "got"), NO_TENSORS)
def test_no_tuple_where_output_and_weights_are_asked_for(answer: str, got: str) -> None:
    report = graded("scaffold", returning("scaffold", answer))
    assert (Verdict.FAIL, "what is returned", "a tuple (y, weights)", got) == (
        (check := first_failure(report)).verdict,
        *wording_of(check),
    )
    assert 0 == points_of_attention(report)


@pytest.mark.sample(2)
@pytest.mark.parametrize(("answer", "got"), NO_TENSORS)
def test_no_tensor_where_the_output_alone_is_asked_for(answer: str, got: str) -> None:
    report = graded("plain_class", returning("plain_class", answer))
    assert ("output", "a tensor", got) == wording_of(first_failure(report))
    assert 0 == points_of_attention(report)


SELF, CROSS = "a tensor of shape (2, 5, 30)", "a tensor of shape (2, 5, 18)"
"""What the first call of self-attention and of cross-attention has for an output."""
W = "a tensor of shape (2, 3, 5, 7)"
OF_WEIGHTS = {
    "cross_attention_weights",
    "weights_are_a_distribution",
    "weights_are_a_distribution_in_cross_attention",
    "weights_made_the_output",
    "padded_keys_get_no_weight",
    "no_query_sees_a_later_key",
    "weights_in_self_attention",
    "weights_in_cross_attention",
}
OF_THE_SWITCH = {"no_weights_unless_wanted", "defaults_are_the_contracts"}
OF_SELF_ATTENTION = {"self_attention_weights"} | OF_WEIGHTS - {each for each in OF_WEIGHTS if "cross" in each}
OF_A_FUNCTION = {
    "any_leading_axes",
    "weights_with_any_leading_axes",
    "the_output_is_the_weighted_sum_of_values",
} | OF_WEIGHTS - {"weights_made_the_output"}


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("kata", "answer", "fails", "what", "expected", "got"),
    [
        ("module", "y", OF_WEIGHTS | OF_THE_SWITCH, "what is returned", "a tuple (output, weights)", f"{CROSS} alone"),
        (
            "module",
            "[y, w]",
            OF_WEIGHTS | OF_THE_SWITCH,
            "what is returned",
            "a tuple (output, weights)",
            f"a list of 2: {CROSS}, {W}",
        ),
        ("module", "(y, None)", OF_WEIGHTS | {"defaults_are_the_contracts"}, "weights", "a tensor", "None"),
        ("module", "(y, w is None or w.long())", OF_WEIGHTS | OF_THE_SWITCH, "weights", FLOATS, f"{W} and dtype int64"),
        (
            "scaffold",
            "(y,)",
            OF_WEIGHTS | OF_THE_SWITCH,
            "what is returned",
            "a tuple (y, weights)",
            f"a tuple of 1: {CROSS}",
        ),
        (
            "fused_qkv",
            "y",
            OF_SELF_ATTENTION,
            "what is returned",
            "a tuple (out, weights)",
            f"{SELF} alone",
        ),
        (
            "scaffold",
            "(y, None, y)",
            OF_WEIGHTS | OF_THE_SWITCH,
            "what is returned",
            "a tuple (y, weights)",
            f"a tuple of 3: {CROSS}, None, {CROSS}",
        ),
        (
            "scaffold",
            "[y]",
            OF_WEIGHTS | OF_THE_SWITCH,
            "what is returned",
            "a tuple (y, weights)",
            f"a list of 1: {CROSS}",
        ),
        ("module", "(y, [w])", OF_WEIGHTS | OF_THE_SWITCH, "weights", "a tensor", f"a list of 1: {W}"),
        ("module", "(y, 7)", OF_WEIGHTS | OF_THE_SWITCH, "weights", "a tensor", "7"),
        ("module", "(y, w is None or w > 0)", OF_WEIGHTS | OF_THE_SWITCH, "weights", FLOATS, f"{W} and dtype bool"),
        ("fused_qkv", "(y, None)", OF_SELF_ATTENTION, "weights", "a tensor", "None"),
        ("plain_class", "(y,)", {"the_output_is_returned_alone"}, "output", "a tensor", f"a tuple of 1: {CROSS}"),
        (
            "plain_class",
            "(y, None, y)",
            {"the_output_is_returned_alone"},
            "output",
            "a tensor",
            f"a tuple of 3: {CROSS}, None, {CROSS}",
        ),
        ("fused_qkv", "(y, 7)", OF_SELF_ATTENTION, "weights", "a tensor", "7"),
        (
            "scaled_dot_product",
            "y",
            OF_A_FUNCTION,
            "what is returned",
            "a tuple (output, attention_weights)",
            f"{CROSS} alone",
        ),
        (
            "plain_class",
            "(y, None)",
            {"the_output_is_returned_alone"},
            "output",
            "a tensor",
            f"a tuple of 2: {CROSS}, None",
        ),
        ("plain_class", "[y]", {"the_output_is_returned_alone"}, "output", "a tensor", f"a list of 1: {CROSS}"),
        (
            "functional",
            "(y, y)",
            {"the_output_is_returned_alone"},
            "output",
            "a tensor",
            f"a tuple of 2: {CROSS}, {CROSS}",
        ),
    ],
)
def test_where_the_output_can_be_read_the_checks_on_what_else_is_returned_fail_alone(
    kata: str, answer: str, fails: set[str], what: str, expected: str, got: str
) -> None:
    report = graded(kata, returning(kata, answer))
    assert fails == {check.name for check in results(report) if check.verdict is not Verdict.PASS}, summary(report)
    assert (what, expected, got) == wording_of(first_failure(report))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "answer", "what", "expected", "got"),
    [
        ("module", "(w, y)", "output", "shape (N=2, L=5, E=30)", "shape (2, 3, 5, 5)"),
        ("module", "(None, w)", "output", "a tensor", "None"),
        ("functional", "None", "output", "a tensor", "None, as where return is missing"),
    ],
)
def test_where_there_is_no_output_nothing_is_earned(kata: str, answer: str, what: str, expected: str, got: str) -> None:
    report = graded(kata, returning(kata, answer))
    assert (what, expected, got) == wording_of(first_failure(report))
    assert report.score < 12, summary(report)


def test_weights_of_another_shape_cost_the_checks_on_weights_alone() -> None:
    report = graded("scaffold", edited("scaffold", (("weights.mean(dim=1) if", "weights if"),)))
    fails = [check for check in results(report) if check.verdict is not Verdict.PASS]
    assert OF_WEIGHTS == {check.name for check in fails}
    assert {"the weights were not averaged over the heads"} == {check.mistake for check in fails}


WRONG_WEIGHTS = {"weights_in_self_attention", "weights_in_cross_attention"}


@pytest.mark.parametrize(
    ("w", "fails"),
    [
        ("weights[:, -1:].expand_as(weights)", WRONG_WEIGHTS | {"weights_made_the_output"}),
        (
            "torch.softmax(weights, -1)",
            WRONG_WEIGHTS | {"weights_made_the_output", "padded_keys_get_no_weight", "no_query_sees_a_later_key"},
        ),
        ("weights.float()", {"weights_in_self_attention"}),
    ],
)
def test_weights_of_wrong_values_beside_a_right_output_cost_the_checks_on_weights_alone(
    w: str, fails: set[str]
) -> None:
    report = graded("module", edited("module", (("weights if return", f"{w} if return"),)))
    wrong = {check.name for check in results(report) if check.verdict is not Verdict.PASS}
    assert fails == wrong, summary(report)


def test_a_mistake_beside_weights_that_are_not_returned_is_named() -> None:
    report = graded("scaffold", returning("scaffold", "y").replace(" / math.sqrt(self.head_dim)", ""))
    assert result(report, "without_a_mask").mistake == "the scores were not divided by sqrt(head_dim)"
    assert not result(report, "weights_are_a_distribution").mistake  # its values say nothing of the weights


ODD_TENSORS = [
    ("y.long()", f"{SELF} and dtype int64"),
    ("y > 0", f"{SELF} and dtype bool"),
    ("y.to(torch.complex128)", f"{SELF} and dtype complex128"),
    ("y.to(torch.float8_e4m3fn)", f"{SELF} and dtype float8_e4m3fn"),
    ("y.to_sparse()", "a sparse tensor of shape (2, 5, 30)"),
    ("y[0].to_sparse_csr()", "a sparse tensor of shape (5, 30)"),
    ("y.to('meta')", f"{SELF} on the meta device, which has no values"),
    ("torch.nested.nested_tensor(list(y))", "a nested tensor of 2 parts"),
    (
        "torch.quantize_per_tensor(y.detach().float(), 0.1, 0, torch.qint8)",
        "a quantized tensor of shape (2, 5, 30) and dtype qint8",
    ),
    ("y[(None,) * 6]", "a tensor with 9 dimensions (at most 8 can be sent)"),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("answer", "got"), ODD_TENSORS)
@pytest.mark.parametrize(("kata", "what", "form"), [("scaffold", "y", "({}, w)"), ("plain_class", "output", "{}")])
def test_a_tensor_that_has_no_floating_point_values(kata: str, what: str, form: str, answer: str, got: str) -> None:
    report = graded(kata, returning(kata, form.format(answer)))
    assert (what, FLOATS, got) == wording_of(first_failure(report))
    assert 0 == points_of_attention(report)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "answer", "what", "expected", "got", "most"),
    [
        ("scaffold", "(y.sum(), w)", "output", "shape (N=2, L=5, E=30)", "shape ()", 14),
        ("scaffold", "(y[:0], w)", "output", "shape (N=2, L=5, E=30)", "shape (0, 5, 30)", 14),
        ("scaffold", "(y[None], w)", "output", "shape (N=2, L=5, E=30)", "shape (1, 2, 5, 30)", 14),
        ("scaffold", "(y * float('nan'), w)", "output of the same call made again", "a finite value at [0, 0, 0]",
            "nan at [0, 0, 0]; 300 of 300 values differ", 14),
        ("scaffold", "(y.abs() / 0, w)", "output of the same call made again", "a finite value at [0, 0, 0]",
            "inf at [0, 0, 0]; 300 of 300 values differ", 14),
        ("scaffold", "(y.float(), w)", "dtype of the output", "torch.float64", "torch.float32", 99),
        ("scaffold", "(y.detach(), w)", "output", "a tensor with a grad_fn",
            "none (detached, or computed under no_grad)", 90),
        ("functional", "y.detach()", "output", "a tensor with a grad_fn",
            "none (detached, or computed under no_grad)", 92),
        ("functional", "y.double().float()", "dtype of the output", "torch.float64", "torch.float32", 99),
    ],
)  # fmt: skip
def test_a_tensor_of_the_right_kind_and_of_other_values(
    kata: str, answer: str, what: str, expected: str, got: str, most: int
) -> None:
    report = graded(kata, returning(kata, answer))
    assert (what, expected, got) == wording_of(first_failure(report))
    assert most >= report.score, summary(report)


@pytest.mark.slow
def test_an_output_with_a_graph_of_its_own_fails_where_gradients_are_asked_for() -> None:
    report = graded("scaffold", returning("scaffold", "(nn.Parameter(y), w)"))
    failed = first_failure(report)
    assert ("of_the_inputs", "gradient of x") == (failed.name, failed.what), summary(report)
    assert "gradients" == next(tier.name for tier in report.tiers if failed in tier.checks)
    assert failed.got.startswith("0 at [")
    assert 90 >= report.score


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("answer", ["Pair(y, w)", "(y.as_subclass(Mine), w)", "(y.mT.contiguous().mT, w)"])
def test_a_named_tuple_and_a_tensor_of_another_class_are_answers(answer: str) -> None:
    report = graded("scaffold", returning("scaffold", answer))
    assert 100 == report.score, summary(report)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("answer", "what", "expected", "got"),
    [
        ("None", "_apply_masks(...)", "a tensor", "None"),
        ("[attn_logits]", "_apply_masks(...)", "a tensor", "a list of 1"),
        ("attn_logits > 0", "_apply_masks", FLOATS, "a tensor of shape (2, 3, 5, 7) and dtype bool"),
        ("attn_logits.long()", "_apply_masks", FLOATS, "a tensor of shape (2, 3, 5, 7) and dtype int64"),
    ],
)
def test_a_helper_that_returns_something_else(answer: str, what: str, expected: str, got: str) -> None:
    """Only where the check calls it; `forward` goes its own way."""
    changes = (("return attn_logits\n", f"return attn_logits if attn_logits.size(2) != 5 else {answer}\n"),)
    report = graded("scaffold", edited("scaffold", changes))
    check = next(check for check in results(report) if check.name == "apply_masks_keeps_what_may_be_seen")
    assert Verdict.BROKEN not in {check.verdict for check in results(report)}, summary(report)
    assert (Verdict.FAIL, what, expected) == (check.verdict, check.what, check.expected)
    assert check.got is not None
    assert check.got.startswith(got)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "answer", "got"),
    [
        ("module", "(y.sum() if len(y) == 3 else y, w)", "shape ()"),
        ("scaled_dot_product", "(y.flatten() if len(y) == 3 else y, w)", "shape (840,)"),
        ("functional", "y.flatten() if len(y) == 3 else y", "shape (840,)"),
    ],
)
def test_a_shape_that_a_check_cannot_compute_with(kata: str, answer: str, got: str) -> None:
    """The check cuts the output up before it asks for its shape, and would break on it."""
    report = graded(kata, returning(kata, answer))
    first_failure(report)
    check = next(check for check in results(report) if check.name.startswith("a_prefix_does_not_depend"))
    assert (Verdict.FAIL, "output", "shape (N=3, L=7, E=40)", got) == (check.verdict, *wording_of(check))


@pytest.mark.slow
def test_numbers_that_a_check_cannot_compute_with() -> None:
    """NaN in eval mode leaves no place where dropout could be seen, and a share of nothing."""
    report = graded("scaffold", returning("scaffold", "(y * float('nan') if y.size(-1) == 48 else y, w)"))
    nan = ("output", "a finite value at [0, 0, 0, 0]", "nan at [0, 0, 0, 0]; 6144 of 6144 values are wrong")
    assert ("dropout_rescales[1]", *nan) == (
        (check := first_failure(report)).name,
        *wording_of(check),
    )


@pytest.mark.slow
def test_weights_of_next_to_nothing_are_none_of_its_own() -> None:
    """With them any answer is within the bounds."""
    tiny = ("w_o = nn.init", "w_o = 1e-7 * nn.init")
    report = graded("functional", edited("functional", (tiny,)))
    assert 60 > report.score, summary(report)


@pytest.mark.slow
def test_products_that_cannot_be_sent_cost_nothing() -> None:
    """Which matrices a call multiplied is looked at, for the weights that it drew; sparse and complex ones are none."""
    products = "a = torch.ones(2, 2)\n    (a + 0j) @ (a + 0j), a.to_sparse() @ a\n    if d_model % num"
    report = graded("functional", edited("functional", (("if d_model % num", products),)))
    assert report.max_score == report.score, summary(report)
