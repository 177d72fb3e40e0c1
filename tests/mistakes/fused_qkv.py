"""Mistakes in `fused_qkv`."""

from tests.mistakes import edit, unnamed

SCALE = " / math.sqrt(self.head_dim)"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
PLAIN = "            weights = torch.softmax(scores, dim=-1)\n        else"
MASKED = "torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)"
HIDDEN = "hidden = mask == 0"
HIDE = "scores.masked_fill(hidden, -math.inf)"
FUSED = "self.qkv_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim))"
APART = "q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()"
MERGED = "(self.dropout(weights) @ v).transpose(1, 2).flatten(2)"
MIX = "self.dropout(weights) @ v"
RETURN = "return self.out_proj(merged), weights"
LAYER = "self.qkv_proj = nn.Linear(d_model, 3 * d_model)"


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


def then(statement: str) -> tuple[str, str]:
    """A statement after queries, keys and values were taken apart."""
    return APART, f"{APART}\n        {statement}"


def split(x: str) -> str:
    return f"{x}.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)"


def given(weights: str) -> tuple[str, str]:
    """Other weights returned."""
    return RETURN, f"return self.out_proj(merged), {weights}"


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
OVER_HEADS = "torch.softmax(scores, dim=1)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"
BY_VIEW = (APART, "q, k, v = (p.reshape(len(x), self.num_heads, -1, self.head_dim) for p in qkv.unbind(2))")
BACK_BY_VIEW = (MERGED, f"({MIX}).reshape(len(x), x.size(1), -1)")
IN_TURN = (
    APART,
    "q, k, v = (p.reshape(len(x), -1, self.head_dim, self.num_heads).permute(0, 3, 1, 2) for p in qkv.unbind(2))",
)
BACK_IN_TURN = (MERGED, f"({MIX}).permute(0, 2, 3, 1).flatten(2)")

EDITS = (
    edit("no_scale", "gradients", (SCALE, "")),
    edit("scale_by_head_dim", "gradients", (SCALE, " / self.head_dim")),
    edit("scale_by_embed_dim_root", "gradients", (SCALE, " / math.sqrt(x.size(-1))")),
    edit("scale_by_embed_dim", "gradients", (SCALE, " / x.size(-1)")),
    edit("scale_by_heads", "gradients", (SCALE, " / self.num_heads")),
    edit("scale_by_heads_root", "gradients", (SCALE, " / math.sqrt(self.num_heads)")),
    edit("scale_multiplied", "gradients", (SCALE, " * math.sqrt(self.head_dim)")),
    edit("scale_by_whole_root", "gradients", (SCALE, " / int(math.sqrt(self.head_dim))")),
    edit("scale_of_8", "gradients", (SCALE, " / math.sqrt(8)")),
    edit("softmax_over_queries", "weight sums", *softmax(OVER_QUERIES, f"{OVER_QUERIES}.nan_to_num(0.0)")),
    edit("softmax_left_out", "weight sums", *softmax("scores", "scores.masked_fill(hidden, 0.0)")),
    edit("softmax_by_sigmoid", "weight sums", *softmax("torch.sigmoid(scores)")),
    edit("softmax_twice", "padding", (MASKED, f"{MASKED}.softmax(dim=-1)"), (PLAIN, PLAIN.replace(
        "dim=-1)", "dim=-1).softmax(dim=-1)"
    ))),
    edit("softmax_over_heads", "weight sums", *softmax(OVER_HEADS, f"{OVER_HEADS}.nan_to_num(0.0)")),
    edit("values_summed_unweighted", "weight sums", (MIX, "v.sum(-2, keepdim=True).expand_as(q)")),
    edit("values_unprojected", "nan safety", then(f"v = {split('x')}")),
    edit("keys_unprojected", "nan safety", then(f"k = {split('x')}")),
    edit("queries_unprojected", "nan safety", then(f"q = {split('x')}")),
    edit("values_by_key_weights", "weight sums", then("v = k")),
    edit("keys_by_query_weights", "nan safety", then("k = q")),
    edit("queries_by_key_weights", "nan safety", then("q = k")),
    edit("one_projection", "weight sums", then("k = v = q")),
    edit("query_and_key_weights_swapped", "nan safety", (APART, APART.replace("q, k, v", "k, q, v"))),
    edit("query_and_value_weights_swapped", "weight sums", (APART, APART.replace("q, k, v", "v, k, q"))),
    edit("key_and_value_weights_swapped", "weight sums", (APART, APART.replace("q, k, v", "q, v, k"))),
    edit("qkv_heads_first", "weight sums",
        (FUSED, FUSED.replace("3, self.num_heads", "self.num_heads, 3") + ".transpose(2, 3)")),
    edit("qkv_three_last", "weight sums",
        (FUSED, "self.qkv_proj(x).unflatten(-1, (self.num_heads, self.head_dim, 3)).movedim(-1, 2)")),
    edit("output_weights_transposed", "nan safety",
        (RETURN, "return merged @ self.out_proj.weight + self.out_proj.bias, weights")),
    edit("no_output_projection", "nan safety", (RETURN, "return merged, weights")),
    edit("output_projection_twice", "nan safety", (RETURN, "return self.out_proj(self.out_proj(merged)), weights")),
    edit("residual", "weight sums", (RETURN, "return self.out_proj(merged) + x, weights")),
    edit("no_input_bias", "gradients", (FUSED, FUSED.replace("self.qkv_proj(x)", "(x @ self.qkv_proj.weight.T)"))),
    edit("no_output_bias", "gradients", (RETURN, "return merged @ self.out_proj.weight.T, weights")),
    edit("split_by_view", "weight sums", BY_VIEW),
    edit("merge_by_view", "weight sums", BACK_BY_VIEW),
    edit("split_and_merge_by_view", "weight sums", BY_VIEW, BACK_BY_VIEW),
    edit("split_interleaved", "weight sums", IN_TURN),
    edit("merge_interleaved", "weight sums", BACK_IN_TURN),
    edit("split_and_merge_interleaved", "weight sums", IN_TURN, BACK_IN_TURN),
    edit("heads_reversed", "weight sums", (MERGED, f"({MIX}).flip(1).transpose(1, 2).flatten(2)")),
    edit("one_head", "shapes", (APART, "q, k, v = (p.flatten(2)[:, None] for p in qkv.unbind(2))")),
    edit("mask_ignored", "padding", ("        if mask is None:", "        if True:")),
    edit("mask_inverted", "padding", (HIDDEN, "hidden = mask != 0")),
    edit("mask_transposed", "padding", (HIDDEN, "hidden = mask.mT == 0")),
    edit("mask_of_first_sequence", "padding", (HIDDEN, "hidden = (mask[:1] if mask.dim() == 4 else mask) == 0")),
    edit("mask_added", "padding", (HIDE, "scores + mask"), (MASKED, "torch.softmax(scores, dim=-1)")),
    edit("hidden_scores_zero", "padding",
        (HIDE, "scores.masked_fill(hidden, 0.0)"), (MASKED, "torch.softmax(scores, dim=-1)")),
    edit("hidden_scores_zero", "padding",
        (HIDE, "scores.masked_fill(hidden, 1e-9)"), (MASKED, "torch.softmax(scores, dim=-1)")),
    edit("hidden_scores_zero", "padding", (HIDE, "scores * mask"), (MASKED, "torch.softmax(scores, dim=-1)")),
    edit("hidden_scores_small", "padding",
        (HIDE, "scores.masked_fill(hidden, -1)"), (MASKED, "torch.softmax(scores, dim=-1)")),
    edit("masked_after_softmax", "padding", (HIDE, "scores")),
    edit("nan_rows", "nan safety", (MASKED, "torch.softmax(scores, dim=-1)")),
    edit("nan_gradients", "nan safety",
        (HIDE, "scores + torch.zeros_like(scores).masked_fill(hidden, -math.inf)"),
        (MASKED, "torch.softmax(scores, dim=-1).nan_to_num(0.0)")),
    edit("nan_weights", "nan safety", (MASKED, "torch.softmax(scores, dim=-1)"),
        (RETURN, "return self.out_proj(merged).nan_to_num(0.0), weights")),
    edit("unstable_softmax", "nan safety", *softmax(EXP)),
    edit("unstable_softmax", "nan safety", *softmax(EXP, f"{EXP}.masked_fill(hidden, 0.0)")),
    edit("scores_clamped", "nan safety", (SCORES, f"({SCORES}).clamp(-50, 50)")),
    edit("weights_averaged", "shapes", given("weights.mean(dim=1)")),
    edit("weights_of_first_head", "shapes", given("weights[:, 0]")),
    edit("weights_transposed", "weight sums", given("weights.mT")),
    edit("no_dropout", "parity", (MIX, "weights @ v")),
    edit("dropout_on_output", "parity", (MIX, "weights @ v"),
        (RETURN, "return self.dropout(self.out_proj(merged)), weights")),
    edit("dropout_in_eval", "parity", (MIX, "nn.functional.dropout(weights, self.dropout.p) @ v")),
    edit("dropout_not_rescaled", "parity", (MIX, "self.dropout(weights) * (1 - self.dropout.p * self.training) @ v")),
    edit("output_detached", "nan safety", (RETURN, "return self.out_proj(merged).detach(), weights")),
    edit("weights_detached", "gradients", (MIX, "self.dropout(weights).detach() @ v")),
    edit("values_detached", "gradients", (MIX, "self.dropout(weights) @ v.detach()")),
)  # fmt: skip

UNNAMED = (
    unnamed(
        "the output alone", "shapes", "self_attention", "what is returned", "a tuple (out, weights)",
        (RETURN, "return self.out_proj(merged)"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "no bias", "shapes", "self_attention", "qkv_proj.bias", "a parameter of shape (72,)",
        (LAYER, "self.qkv_proj = nn.Linear(d_model, 3 * d_model, bias=False)"),
    ),
    unnamed(
        "a fused projection of one third of the size", "shapes", "self_attention", "qkv_proj.weight",
        "a parameter of shape (72, 24)", (LAYER, "self.qkv_proj = nn.Linear(d_model, d_model)"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, f"if mask is not None:\n            mask.zero_()\n        {RETURN}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (RETURN, "return self.out_proj(merged).float(), weights"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((MIX, "self.dropout(weights**2) @ v"),),
    "values rolled by one": ((MIX, "self.dropout(weights) @ v.roll(1, dims=2)"),),
    "keys of the next head": (then("k = k.roll(1, dims=1)"),),
}
