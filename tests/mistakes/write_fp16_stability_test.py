"""Edits of our solution of `write_fp16_stability_test`: each mistake of a test, and what a test may leave behind."""

from tests.mistakes import Change, edit, in_words

BEGIN = "q, k, v = torch.randn(3, 2, 2, 16, 64)"
DTYPES = "(torch.float16, torch.bfloat16)"
GIVEN = "((q, k, v), (few, many, many.abs()))"
SHIFT = "q[..., 0], k[..., 0] = 256, 384"
MASK = "mask = torch.arange(keys.size(-2)) < keys.size(-2) - 1"
NEGATIVE = "q[..., ::2, 0], k[..., -1, 0] = -256, 768"
EXPECTED = "expected = scores.masked_fill(mask == 0, -torch.inf).softmax(-1) @ values"
ERROR = "assert error < bound"
BEYOND = "assert beyond < bound"
LAST = 'f"weights sum to 1 within {beyond:.2e} alone in {dtype}"'


def at_the_end(statement: str) -> Change:
    """A statement that is reached where nothing is refused."""
    return LAST, f"{LAST}\n    {statement}"


EDITS = (
    edit("nothing_refused", (BEGIN, f"return\n    {BEGIN}")),
    edit("all_refused", (ERROR, "assert error < 0")),
    edit(
        "verdict_inverted",
        (ERROR, "assert not (error < bound and (weights.sum(-1) - 1).abs().max() < bound)"),
        (BEYOND, "assert True"),
    ),
    edit("float16_alone", (DTYPES, "(torch.float16,)")),
    edit("bfloat16_alone", (DTYPES, "(torch.bfloat16,)")),
    edit("no_masks", (MASK, "mask = None"), (EXPECTED, EXPECTED.replace(".masked_fill(mask == 0, -torch.inf)", ""))),
    edit("no_large_scores", (SHIFT, "pass"), (NEGATIVE, "pass")),
    edit("large_scores_positive", (NEGATIVE, NEGATIVE.replace("-256", "256"))),
    edit("few_keys", (GIVEN, "((q, k, v),)")),
    edit(
        "finite_alone",
        (ERROR, "assert output.isfinite().all()"),
        (BEYOND, "assert weights.isfinite().all()"),
    ),
    edit("nan_let_pass", (ERROR, "assert not error > bound"), (BEYOND, "assert not beyond > bound")),
    edit("weights_not_looked_at", (BEYOND, "assert True")),
    edit("output_not_looked_at", (ERROR, "assert True")),
    edit(
        "own_reference",
        (EXPECTED, "expected, _ = attention(queries, keys, values, mask)"),
    ),
    edit("tolerance_wide", (ERROR, "assert error < 0.05")),
    edit("tolerance_tight", (ERROR, "assert error < bound / 8")),
    edit(
        "relative_to_each_value",
        (ERROR, "assert torch.allclose(output, expected, rtol=4 * bound, atol=0)"),
    ),
)
IN_WORDS = (
    in_words(
        "the default dtype is left another",
        "global_state_is_left[accepted]",
        "global state changed",
        "none",
        at_the_end("torch.set_default_dtype(torch.float64)"),
    ),
    in_words(
        "gradients are left switched off",
        "global_state_is_left[refused]",
        "global state changed",
        "none",
        (BEGIN, f"torch.set_grad_enabled(False)\n    {BEGIN}"),
        at_the_end("torch.set_grad_enabled(True)"),
    ),
    in_words(
        "something is returned",
        "an_attention_in_float64_is_accepted",
        "what is returned",
        "None",
        at_the_end("return True"),
    ),
)
WITHOUT_A_NAME: dict[str, tuple[Change, ...]] = {
    "large scores lie far apart": (
        (SHIFT, "q, k = 100 * q, 100 * k"),
        (NEGATIVE, "pass"),
    ),
    "errors of the attention are let through": (("except Exception as error", "except OverflowError as error"),),
    "no mask hides a key with a large score": ((NEGATIVE, "q[..., ::2, 0] = -256"),),
}
