"""Mistakes in `scaffold`."""

from tests.mistakes import edit, unnamed

SCALE = " / math.sqrt(self.head_dim)"
LOGITS = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
SOFTMAX = "torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)"
HIDE = "attn_logits.masked_fill(~attn_mask, -math.inf)"
ADD = "(attn_logits + attn_mask).masked_fill(attn_mask == -math.inf, -math.inf)"
PAD = "attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -math.inf)"
MASKED = "self._apply_masks(attn_logits, attn_mask, key_padding_mask)"
Q, K, V = "self.q_proj(x)", "self.k_proj(kv)", "self.v_proj(kv)"
SPLIT = "x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)"
MERGE = "x.transpose(1, 2).flatten(2)"
MIX = "self.dropout(weights) @ v"
OUT = "self.out_proj(self._merge_heads(self.dropout(weights) @ v))"
MEAN = "weights.mean(dim=1)"
LAYER_Q = "self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)"

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
    edit("softmax_over_queries", "weight sums", (SOFTMAX, SOFTMAX.replace("dim=-1", "dim=-2"))),
    edit("softmax_left_out", "weight sums", (SOFTMAX, "attn_logits.masked_fill(attn_logits == -math.inf, 0.0)")),
    edit("softmax_by_sigmoid", "weight sums", (SOFTMAX, "torch.sigmoid(attn_logits)")),
    edit("softmax_twice", "padding", (SOFTMAX, f"{SOFTMAX}.softmax(dim=-1)")),
    edit("values_summed_unweighted", "weight sums", (MIX, "v.sum(-2, keepdim=True).expand_as(q)")),
    edit("softmax_over_heads", "weight sums", (SOFTMAX, SOFTMAX.replace("dim=-1", "dim=1").replace("0.0)", "0.0)"))),
    edit("values_unprojected", "nan safety", (V, "kv")),
    edit("keys_unprojected", "nan safety", (K, "kv")),
    edit("queries_unprojected", "nan safety", (Q, "x")),
    edit("values_by_key_weights", "weight sums", (V, "self.k_proj(kv)")),
    edit("keys_by_query_weights", "nan safety", (K, "self.q_proj(kv)")),
    edit("queries_by_key_weights", "nan safety", (Q, "self.k_proj(x)")),
    edit("one_projection", "weight sums", (K, "self.q_proj(kv)"), (V, "self.q_proj(kv)")),
    edit("query_and_key_weights_swapped", "nan safety", (Q, "self.k_proj(x)"), (K, "self.q_proj(kv)")),
    edit("query_and_value_weights_swapped", "weight sums", (Q, "self.v_proj(x)"), (V, "self.q_proj(kv)")),
    edit("key_and_value_weights_swapped", "weight sums", (f"k = self._split_heads({K})", "v = self._split_heads(self.k_proj(kv))"),
        (f"v = self._split_heads({V})", "k = self._split_heads(self.v_proj(kv))")),
    edit("output_weights_transposed", "nan safety", (OUT, OUT.replace("self.out_proj(", "self._out(")), (
        "    def _merge_heads", "    def _out(self, x):\n"
        "        y = x @ self.out_proj.weight\n"
        "        return y if self.out_proj.bias is None else y + self.out_proj.bias\n\n    def _merge_heads",
    )),
    edit("no_output_projection", "nan safety", (OUT, "self._merge_heads(self.dropout(weights) @ v)")),
    edit("output_projection_twice", "nan safety", (OUT, f"self.out_proj({OUT})")),
    edit("residual", "weight sums", (OUT, f"{OUT} + x")),
    edit(
        "no_input_bias", "gradients",
        (Q, "nn.functional.linear(x, self.q_proj.weight)"),
        (K, "nn.functional.linear(kv, self.k_proj.weight)"),
        (V, "nn.functional.linear(kv, self.v_proj.weight)"),
    ),
    edit("no_output_bias", "gradients", (OUT, "self._merge_heads(self.dropout(weights) @ v) @ self.out_proj.weight.T")),
    edit("split_by_view", "shapes", (SPLIT, "x.reshape(len(x), self.num_heads, -1, self.head_dim)")),
    edit("merge_by_view", "shapes", (MERGE, "x.reshape(len(x), x.size(2), -1)")),
    edit("split_and_merge_by_view", "shapes",
        (SPLIT, "x.reshape(len(x), self.num_heads, -1, self.head_dim)"), (MERGE, "x.reshape(len(x), x.size(2), -1)")),
    edit("split_interleaved", "shapes", (SPLIT, "x.unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)")),
    edit("merge_interleaved", "shapes", (MERGE, "x.permute(0, 2, 3, 1).flatten(2)")),
    edit("split_and_merge_interleaved", "shapes",
        (SPLIT, "x.unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)"),
        (MERGE, "x.permute(0, 2, 3, 1).flatten(2)")),
    edit("heads_reversed", "shapes", (MERGE, "x.flip(1).transpose(1, 2).flatten(2)")),
    edit("one_head", "shapes", (SPLIT, "x[:, None]"), (MERGE, "x[:, 0]")),
    edit("masks_inverted", "shapes", (HIDE, HIDE.replace("~", "")), (PAD, PAD.replace("~", ""))),
    edit("attention_mask_inverted", "shapes", (HIDE, HIDE.replace("~", ""))),
    edit("padding_mask_inverted", "shapes", (PAD, PAD.replace("~", ""))),
    edit("padding_ignored", "shapes", (PAD, "attn_logits")),
    edit("attention_mask_ignored", "shapes", (HIDE, "attn_logits"), (ADD, "attn_logits")),
    edit("attention_mask_transposed", "shapes", (HIDE, HIDE.replace("~attn_mask", "~attn_mask.mT"))),
    edit("padding_on_queries", "shapes", (PAD, PAD.replace("[:, None, None, :]", "[:, None, :, None]"))),
    edit("masks_joined_with_or", "shapes", ("        if attn_mask is not None and attn_mask.dtype", (
        "        if attn_mask is not None and key_padding_mask is not None:\n"
        "            allow = attn_mask | key_padding_mask[:, None, None, :]\n"
        "            return attn_logits.masked_fill(~allow, -math.inf)\n"
        "        if attn_mask is not None and attn_mask.dtype"
    ))),
    edit("masks_added", "shapes", (HIDE, "attn_logits + attn_mask"),
        (PAD, "attn_logits + key_padding_mask[:, None, None, :]")),
    edit("mask_ignored", "shapes", ("return attn_logits\n", "return given\n"), (
        "        if attn_mask is not None and attn_mask.dtype", "        given = attn_logits\n"
        "        if attn_mask is not None and attn_mask.dtype",
    )),
    edit("hidden_scores_zero", "shapes", (HIDE, HIDE.replace("-math.inf", "0.0")), (PAD, PAD.replace("-math.inf", "0.0"))),
    edit("hidden_scores_zero", "shapes", (HIDE, HIDE.replace("-math.inf", "1e-9")), (PAD, PAD.replace("-math.inf", "1e-9"))),
    edit("hidden_scores_zero", "shapes", (HIDE, "attn_logits * attn_mask"),
        (PAD, "attn_logits * key_padding_mask[:, None, None, :]")),
    edit("hidden_scores_small", "shapes", (HIDE, HIDE.replace("-math.inf", "-1.0")), (PAD, PAD.replace("-math.inf", "-1.0"))),
    edit("masked_after_softmax", "padding", (SOFTMAX, "torch.softmax(given, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)"),
        (f"attn_logits = {MASKED}", f"given = attn_logits\n        attn_logits = {MASKED}")),
    edit("mask_of_first_sequence", "shapes", (HIDE, HIDE.replace("~attn_mask", "~(attn_mask[:1] if attn_mask.dim() == 4 else attn_mask)")),
        (PAD, PAD.replace("key_padding_mask[:, None", "key_padding_mask[:1, None"))),
    edit("nan_rows", "nan safety", (SOFTMAX, "torch.softmax(attn_logits, dim=-1)")),
    edit("nan_gradients", "nan safety", (SOFTMAX, "torch.softmax(attn_logits, dim=-1).nan_to_num(0.0)"),
        (HIDE, "attn_logits + torch.zeros_like(attn_logits).masked_fill(~attn_mask, -math.inf)"), (ADD, "attn_logits + attn_mask"),
        (PAD, "attn_logits + torch.zeros_like(attn_logits).masked_fill(~key_padding_mask[:, None, None, :], -math.inf)")),
    edit("nan_weights", "nan safety", (SOFTMAX, "torch.softmax(attn_logits, dim=-1)"), (OUT, f"{OUT}.nan_to_num(0.0)")),
    edit("unstable_softmax", "nan safety", (SOFTMAX, "attn_logits.exp() / attn_logits.exp().sum(-1, keepdim=True)")),
    edit("unstable_softmax", "nan safety", (SOFTMAX,
        "(attn_logits.exp() / attn_logits.exp().sum(-1, keepdim=True)).masked_fill(attn_logits == -math.inf, 0.0)")),
    edit("scores_clamped", "nan safety", (LOGITS, f"({LOGITS}).clamp(-50, 50)")),
    edit("weights_per_head", "shapes", (MEAN, "weights")),
    edit("weights_summed", "weight sums", (MEAN, "weights.sum(dim=1)")),
    edit("weights_maximum", "weight sums", (MEAN, "weights.amax(dim=1)")),
    edit("weights_of_first_head", "weight sums", (MEAN, "weights[:, 0]")),
    edit("weights_transposed", "shapes", (MEAN, "weights.mean(dim=1).mT")),
    edit("no_dropout", "parity", (MIX, "weights @ v")),
    edit("dropout_in_eval", "parity", (MIX, "nn.functional.dropout(weights, self.dropout.p) @ v")),
    edit("dropout_not_rescaled", "parity", (MIX, "(self.dropout(weights) * (1 - self.dropout.p * self.training)) @ v")),
    edit("dropout_on_output", "parity", (OUT, "self.dropout(self.out_proj(self._merge_heads(weights @ v)))")),
    edit("output_detached", "nan safety", (OUT, f"{OUT}.detach()")),
    edit("weights_detached", "gradients", (MIX, "self.dropout(weights).detach() @ v")),
    edit("values_detached", "gradients", (MIX, "self.dropout(weights) @ v.detach()")),
)  # fmt: skip

ALONE = "no_weights_unless_wanted[need_weights=False]"
REFUSED = "a_size_that_the_heads_do_not_divide_is_refused"
CHECK_SIZE = "if cfg.embed_dim % cfg.num_heads != 0:"

UNNAMED = (
    unnamed(
        "weights although nobody asked", "shapes", ALONE, "weights", "None",
        (f"{MEAN} if need_weights else None", MEAN),
    ),
    unnamed(
        "no weights although asked", "shapes", "self_attention", "weights", "a tensor",
        (f"{MEAN} if need_weights else None", "None"),
    ),
    unnamed(
        "a list is returned", "shapes", "self_attention", "what is returned", "a tuple (y, weights)",
        (f"return y, {MEAN} if need_weights else None", f"return [y, {MEAN} if need_weights else None]"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", REFUSED,
        "embedding size 10 with 3 heads", "AssertionError or ValueError", (CHECK_SIZE, "if False:"),
    ),
    unnamed(
        "no bias although configured", "shapes", "self_attention", "q_proj.bias", "a parameter of shape (24,)",
        (LAYER_Q, LAYER_Q.replace("cfg.bias", "False")),
    ),
    unnamed(
        "a layer of another name", "shapes", "self_attention", "q_proj.weight", "a parameter of shape (24, 24)",
        (LAYER_Q, LAYER_Q.replace("q_proj", "query_proj")), (Q, "self.query_proj(x)"),
    ),
    unnamed(
        "a helper is missing", "shapes", "merge_heads_undoes_split_heads", "_merge_heads",
        "a function or method of that name",
        ("    def _merge_heads", "    def _join_heads"), (OUT, OUT.replace("_merge", "_join")),
    ),
    unnamed(
        "the causal mask hides the diagonal", "shapes", "causal_mask_is_lower_triangular", "causal_mask(5, 5)",
        "1 at [0, 0]  (atol 1e-06, rtol 1e-05)", ("device=device).tril()", "device=device).tril(-1)"),
    ),
    unnamed(
        "the causal mask is aligned at the lower right", "shapes", "causal_mask_is_lower_triangular",
        "causal_mask(5, 8)", "0 at [0, 1]  (atol 1e-06, rtol 1e-05)",
        ("device=device).tril()", "device=device).tril(0 if S is None else S - T)"),
    ),
    unnamed(
        "the causal mask is of floats", "shapes", "causal_mask_is_lower_triangular", "dtype of causal_mask",
        "torch.bool", ("dtype=torch.bool, device=device", "device=device"),
    ),
    unnamed(
        "the causal mask ignores the device", "shapes", "causal_mask_is_lower_triangular",
        "causal_mask(5, 8, device='nowhere')", "RuntimeError", ("dtype=torch.bool, device=device", "dtype=torch.bool"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        ("return attn_logits\n", "return attn_logits if key_padding_mask is None else "
            "attn_logits + 0 * key_padding_mask.logical_not_().sum()\n"),
    ),
    unnamed(
        "the first answer of each size is kept", "weight sums", "weights_are_a_distribution",
        "output of the later queries", "another one after the first key and value changed",
        (f"y = {OUT}", "self.kept = getattr(self, 'kept', {})\n"
            f"        y = self.kept.setdefault((x.shape, kv.shape), {OUT})"),
    ),
    unnamed(
        "the calls are counted, and the output grows with them", "shapes", ALONE, "output", "",
        (f"y = {OUT}", f"self.calls = getattr(self, 'calls', 0) + 1\n        y = {OUT} * self.calls"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (f"y = {OUT}", f"y = {OUT}.float()"),
    ),
    unnamed(
        "softmax in float32", "parity", "in_dtype[float64]", "output", "",
        (SOFTMAX, f"{SOFTMAX.replace('(attn_logits, dim=-1)', '(attn_logits.float(), dim=-1).to(x.dtype)')}"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((MIX, "self.dropout(weights**2) @ v"),),
    "values rolled by one": ((MIX, "self.dropout(weights) @ v.roll(1, dims=2)"),),
    "output doubled": ((OUT, f"2 * {OUT}"),),
    "hidden scores at -2.5": ((HIDE, HIDE.replace("-math.inf", "-2.5")), (PAD, PAD.replace("-math.inf", "-2.5"))),
    "noise of one thousandth": ((OUT, f"{OUT} * 1.001"),),
}
