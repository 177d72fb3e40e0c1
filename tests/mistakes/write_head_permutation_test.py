"""Edits of our solution of `write_head_permutation_test`: each mistake of a test, and what a test may leave behind."""

from tests.mistakes import Change, edit, in_words

ORDERS = "(heads.roll(1), exchanged)"
OUT_WEIGHT = 'parameters["W_O.weight"][:, features]'
OUT = f'permuted["W_O.weight"] = {OUT_WEIGHT}'
TOKENS = "torch.randn(2, 5, attention.d_model)"
PARAMETERS = "dict(attention.named_parameters())"
BEFORE = "before = attention(tokens, tokens, tokens)[0]"
AFTER = "after = torch.func.functional_call(attention, permuted, (tokens, tokens, tokens))[0]"
LAST = 'change the output by {change:.2%}"'


def kept(*names: str) -> Change:
    """Some parameters keep their order."""
    return OUT, f"{OUT}\n        permuted |= {{name: parameters[name] for name in {names}}}"


def at_the_end(statement: str) -> Change:
    """A statement that is reached where nothing is refused."""
    return LAST, f"{LAST}\n    {statement}"


EDITS = (
    edit("nothing_refused", ("assert change < 1e-3", "assert change >= 0")),
    edit("all_refused", ("assert change < 1e-3", "assert change < 0")),
    edit("verdict_inverted", ("assert change < 1e-3", "assert change > 1e-3")),
    edit("only_shifts", (ORDERS, "(heads.roll(1), heads.roll(2))")),
    edit("only_reversal", (ORDERS, "(heads.flip(0),)")),
    edit("only_shifts_and_reversal", (ORDERS, "(heads.roll(1), heads.flip(0))")),
    edit("only_first_two", (ORDERS, "(exchanged,)")),
    edit(
        "only_ends",
        (ORDERS, "(exchanged,)"),
        ("torch.cat([heads[:2].flip(0), heads[2:]])", "torch.cat([heads[1:].flip(0)[:1], heads[1:-1], heads[:1]])"),
    ),
    edit("biases_kept", kept("W_Q.bias", "W_K.bias", "W_V.bias")),
    edit("query_bias_kept", kept("W_Q.bias", "W_O.bias")),
    edit("key_bias_kept", kept("W_K.bias", "W_O.bias")),
    edit("value_bias_kept", kept("W_V.bias", "W_O.bias")),
    edit("output_kept", (OUT_WEIGHT, 'parameters["W_O.weight"]')),
    edit("output_inverse", (OUT_WEIGHT, 'parameters["W_O.weight"][:, features.argsort()]')),
    edit("output_rows", (OUT_WEIGHT, 'parameters["W_O.weight"][features]')),
    edit("values_kept", kept("W_V.weight", "W_V.bias")),
    edit("queries_and_keys_apart", kept("W_Q.weight", "W_Q.bias", "W_K.weight", "W_K.bias")),
    edit(
        "columns_permuted",
        (
            OUT,
            f"{OUT}\n        for name in ('W_Q.weight', 'W_K.weight', 'W_V.weight'):"
            "\n            permuted[name] = permuted[name][:, features]",
        ),
    ),
    edit(
        "features_interleaved",
        ("unflatten(0, (attention.num_heads, -1))[order]", "unflatten(0, (-1, attention.num_heads))[:, order]"),
    ),
    edit("one_sequence", (TOKENS, "torch.randn(1, 5, attention.d_model)")),
    edit("one_token", (TOKENS, "torch.randn(2, 1, attention.d_model)")),
    edit("tokens_alike", (TOKENS, "torch.ones(2, 5, attention.d_model)")),
    edit(
        "biases_zeroed",
        (PARAMETERS, f"{{name: tensor * name.endswith('weight') for name, tensor in {PARAMETERS}.items()}}"),
        (BEFORE, "before = torch.func.functional_call(attention, parameters, (tokens,) * 3)[0]"),
    ),
    edit("tolerance_wide", ("assert change < 1e-3", "assert change < 0.1")),
    edit("tolerance_none", ("assert change < 1e-3", "assert change == 0")),
    edit(
        "weights_in_place",
        (BEFORE, "before, weights = attention(tokens, tokens, tokens)"),
        (AFTER, AFTER.replace("after =", "after, others =").removesuffix("[0]")),
        ("assert change < 1e-3", "assert change < 1e-3 and torch.allclose(others, weights, atol=1e-3)"),
    ),
    edit(
        "weights_alone",
        (BEFORE, BEFORE.replace("[0]", "[1]")),
        (AFTER, AFTER.replace("[0]", "[1]")),
        ("torch.dist(after, before, p=torch.inf)", "torch.dist(after, before[:, order], p=torch.inf)"),
    ),
)
IN_WORDS = (
    in_words(
        "the module is left in float64",
        "parameters_are_left[accepted]",
        "W_Q.weight after the call",
        "as it was",
        at_the_end("attention.double()"),
    ),
    in_words(
        "the module is left in another mode",
        "mode_is_left[accepted]",
        "mode after the call",
        "eval",
        at_the_end("attention.train()"),
    ),
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
        (BEFORE, f"torch.set_grad_enabled(False)\n    {BEFORE}"),
        at_the_end("torch.set_grad_enabled(True)"),
    ),
    in_words(
        "something is returned",
        "a_mean_of_all_keys_is_accepted",
        "what is returned",
        "None",
        at_the_end("return True"),
    ),
)
WITHOUT_A_NAME: dict[str, tuple[Change, ...]] = {
    "one order is drawn": ((ORDERS, "(heads[torch.randperm(len(heads))],)"),),
    "the change is bounded by 3": (("/ before.abs().max()", ""), ("assert change < 1e-3", "assert change < 3")),
    "the middle head stays": ((ORDERS, "(torch.cat([heads[:1], heads[1:].flip(0)]),)"),),
}
