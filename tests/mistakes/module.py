"""Mistakes in `module`."""

from tests.mistakes import edit, unnamed

SCALE = " / math.sqrt(self.head_dim)"
SCORES = "Q @ K.transpose(-2, -1) / math.sqrt(self.head_dim)"
PLAIN = "            weights = torch.softmax(scores, dim=-1)\n        else"
MASKED = "torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)"
HIDDEN = "hidden = mask == 0"
HIDE = "scores.masked_fill(hidden, -math.inf)"
Q, K, V = "self.W_Q(query)", "self.W_K(key)", "self.W_V(value)"
SPLIT = "x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)"
MERGE = "x.transpose(1, 2).flatten(2)"
MIX = "self.dropout(weights) @ V, weights"
OUT = "self.dropout(self.W_O(self._combine_heads(attended)))"
GIVEN = "return output, weights if return_attention else None"
LAYER_Q = "self.W_Q = nn.Linear(d_model, d_model, bias=bias)"


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


def given(weights: str) -> tuple[str, str]:
    """Other weights returned."""
    return GIVEN, f"return output, {weights} if return_attention else None"


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
OVER_HEADS = "torch.softmax(scores, dim=1)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"
BY_VIEW = (SPLIT, "x.reshape(len(x), self.num_heads, -1, self.head_dim)")
BACK_BY_VIEW = (MERGE, "x.reshape(len(x), x.size(2), -1)")
IN_TURN = (SPLIT, "x.unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)")
BACK_IN_TURN = (MERGE, "x.permute(0, 2, 3, 1).flatten(2)")

EDITS = (
    edit("no_scale", "gradients", (SCALE, "")),
    edit("scale_by_head_dim", "gradients", (SCALE, " / self.head_dim")),
    edit("scale_by_embed_dim_root", "gradients", (SCALE, " / math.sqrt(self.W_O.out_features)")),
    edit("scale_by_embed_dim", "gradients", (SCALE, " / self.W_O.out_features")),
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
    edit("values_summed_unweighted", "weight sums", (MIX, "V.sum(-2, keepdim=True).expand_as(Q), weights")),
    edit("values_unprojected", "nan safety", (V, "value")),
    edit("keys_unprojected", "nan safety", (K, "key")),
    edit("queries_unprojected", "nan safety", (Q, "query")),
    edit("values_by_key_weights", "weight sums", (V, "self.W_K(value)")),
    edit("keys_by_query_weights", "nan safety", (K, "self.W_Q(key)")),
    edit("queries_by_key_weights", "nan safety", (Q, "self.W_K(query)")),
    edit("one_projection", "weight sums", (K, "self.W_Q(key)"), (V, "self.W_Q(value)")),
    edit("query_and_key_weights_swapped", "nan safety", (Q, "self.W_K(query)"), (K, "self.W_Q(key)")),
    edit("query_and_value_weights_swapped", "weight sums", (Q, "self.W_V(query)"), (V, "self.W_Q(value)")),
    edit("key_and_value_weights_swapped", "weight sums", (K, "self.W_V(key)"), (V, "self.W_K(value)")),
    edit("output_weights_transposed", "nan safety", (
        OUT,
        "self._combine_heads(attended) @ self.W_O.weight\n"
        "        output = self.dropout(output if self.W_O.bias is None else output + self.W_O.bias)",
    )),
    edit("no_output_projection", "nan safety", (OUT, "self.dropout(self._combine_heads(attended))")),
    edit("output_projection_twice", "nan safety", (OUT, f"self.W_O({OUT})")),
    edit("residual", "weight sums", (OUT, f"{OUT} + query")),
    edit(
        "no_input_bias", "gradients",
        (Q, "nn.functional.linear(query, self.W_Q.weight)"),
        (K, "nn.functional.linear(key, self.W_K.weight)"),
        (V, "nn.functional.linear(value, self.W_V.weight)"),
    ),
    edit("no_output_bias", "gradients", (OUT, "self.dropout(self._combine_heads(attended) @ self.W_O.weight.T)")),
    edit("split_by_view", "weight sums", BY_VIEW),
    edit("merge_by_view", "weight sums", BACK_BY_VIEW),
    edit("split_and_merge_by_view", "weight sums", BY_VIEW, BACK_BY_VIEW),
    edit("split_interleaved", "weight sums", IN_TURN),
    edit("merge_interleaved", "weight sums", BACK_IN_TURN),
    edit("split_and_merge_interleaved", "weight sums", IN_TURN, BACK_IN_TURN),
    edit("heads_reversed", "weight sums", (MERGE, "x.flip(1).transpose(1, 2).flatten(2)")),
    edit("one_head", "shapes", (SPLIT, "x[:, None]"), (MERGE, "x[:, 0]")),
    edit("mask_ignored", "padding", ("        if mask is None:", "        if True:")),
    edit("mask_inverted", "padding", (HIDDEN, "hidden = mask != 0")),
    edit("mask_transposed", "padding", (HIDDEN, "hidden = mask.mT == 0")),
    edit("mask_of_first_sequence", "padding", (HIDDEN, "hidden = mask[:1] == 0")),
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
    edit("nan_weights", "nan safety", (MASKED, "torch.softmax(scores, dim=-1)"), (OUT, f"{OUT}.nan_to_num(0.0)")),
    edit("unstable_softmax", "nan safety", *softmax(EXP)),
    edit("unstable_softmax", "nan safety", *softmax(EXP, f"{EXP}.masked_fill(hidden, 0.0)")),
    edit("scores_clamped", "nan safety", (SCORES, f"({SCORES}).clamp(-50, 50)")),
    edit("weights_averaged", "shapes", given("weights.mean(dim=1)")),
    edit("weights_of_first_head", "shapes", given("weights[:, 0]")),
    edit("weights_transposed", "shapes", given("weights.mT")),
    edit("no_dropout", "parity", (MIX, "weights @ V, weights")),
    edit("no_output_dropout", "parity", (OUT, "self.W_O(self._combine_heads(attended))")),
    edit("dropout_in_eval", "parity", (MIX, "nn.functional.dropout(weights, self.dropout.p) @ V, weights")),
    edit("dropout_not_rescaled", "parity", (
        MIX, "self.dropout(weights) * (1 - self.dropout.p * self.training) @ V, weights"
    )),
    edit("output_detached", "nan safety", (OUT, f"{OUT}.detach()")),
    edit("weights_detached", "gradients", (MIX, "self.dropout(weights).detach() @ V, weights")),
    edit("values_detached", "gradients", (MIX, "self.dropout(weights) @ V.detach(), weights")),
)  # fmt: skip

UNNAMED = (
    unnamed(
        "weights although nobody asked", "shapes", "no_weights_unless_wanted[return_attention=False]",
        "weights", "None", (GIVEN, "return output, weights"),
    ),
    unnamed(
        "the output alone", "shapes", "self_attention", "what is returned", "a tuple (output, weights)",
        (GIVEN, "return output"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "no bias although asked for", "shapes", "self_attention", "W_Q.bias", "a parameter of shape (24,)",
        (LAYER_Q, LAYER_Q.replace("=bias", "=False")), ("                nn.init.zeros_(layer.bias)", "                pass"),
    ),
    unnamed(
        "a bias although none was asked for", "shapes", "number_of_parameters", "number of parameters without bias",
        "1296", (LAYER_Q, LAYER_Q.replace("=bias", "=True")),
    ),
    unnamed(
        "a layer too many", "shapes", "number_of_parameters", "number of parameters", "1368",
        (LAYER_Q, f"{LAYER_Q}\n        self.extra = nn.Linear(d_model, d_model)"),
    ),
    unnamed(
        "weights as nn.Linear draws them", "shapes", "weights_start_xavier_uniform", "standard deviation of W_Q.weight",
        "", ("            nn.init.xavier_uniform_(layer.weight)", "            pass"),
    ),
    unnamed(
        "weights by Xavier's normal rule", "shapes", "weights_start_xavier_uniform", "0.2500 - abs(W_Q.weight)", "",
        ("xavier_uniform_(layer", "xavier_normal_(layer"),
    ),
    unnamed(
        "biases as nn.Linear draws them", "shapes", "biases_start_at_zero", "W_Q.bias", "",
        ("                nn.init.zeros_(layer.bias)", "                pass"),
    ),
    unnamed(
        "no extra_repr", "shapes", "extra_repr_names_the_sizes", "d_model=18 in extra_repr", "d_model=18",
        ("    def extra_repr", "    def another_repr"),
    ),
    unnamed(
        "an input is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (OUT, f"{OUT}\n        if mask is not None:\n            mask.zero_()"),
    ),
    unnamed(
        "the last mask is kept", "gradients", "no_state_is_kept", "output of the same call made again", "",
        (GIVEN, f"self.calls = getattr(self, 'calls', [])\n        self.calls.append(len(query))\n"
            f"        output = output * (2 if 3 in self.calls[:-1] and len(query) == 2 else 1)\n        {GIVEN}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (OUT, f"{OUT}.float()"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((MIX, "self.dropout(weights**2) @ V, weights"),),
    "values rolled by one": ((MIX, "self.dropout(weights) @ V.roll(1, dims=2), weights"),),
    "a mask that hides the last key too": ((HIDDEN, f"{HIDDEN}\n            hidden[..., -1] = True"),),
    "two heads swapped": ((MERGE, "x[:, [1, 0, *range(2, x.size(1))]].transpose(1, 2).flatten(2)"),),
}
