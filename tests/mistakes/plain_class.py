"""Mistakes in `plain_class`."""

from tests.mistakes import edit, unnamed

SCALE = " / math.sqrt(self.head_dim)"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
SOFTMAX = "torch.softmax(scores, dim=-1)"
Q = "self.W_q(Q).unflatten(-1, heads).transpose(1, 2)"
K = "self.W_k(K).unflatten(-1, heads).transpose(1, 2)"
V = "self.W_v(V).unflatten(-1, heads).transpose(1, 2)"
MIX = "torch.softmax(scores, dim=-1) @ v"
MERGED = "attended.transpose(1, 2).flatten(2)"
OUT = "self.W_o(attended.transpose(1, 2).flatten(2))"
LAYER = "self.W_q = nn.Linear(d_model, d_model)"


def each(split: str) -> tuple[tuple[str, str], ...]:
    """Another split of all three."""
    return tuple((old, old[: old.index(")") + 1] + split) for old in (Q, K, V))


BY_VIEW = tuple((old, f"{old[:11]}.reshape(len(Q), self.num_heads, -1, self.head_dim)") for old in (Q, K, V))
BACK_BY_VIEW = (MERGED, "attended.reshape(len(Q), Q.size(1), -1)")
IN_TURN = each(".unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)")
BACK_IN_TURN = (MERGED, "attended.permute(0, 2, 3, 1).flatten(2)")

EDITS = (
    edit("no_scale", "gradients", (SCALE, "")),
    edit("scale_by_head_dim", "gradients", (SCALE, " / self.head_dim")),
    edit("scale_by_embed_dim_root", "gradients", (SCALE, " / math.sqrt(Q.size(-1))")),
    edit("scale_by_embed_dim", "gradients", (SCALE, " / Q.size(-1)")),
    edit("scale_by_heads", "gradients", (SCALE, " / self.num_heads")),
    edit("scale_by_heads_root", "gradients", (SCALE, " / math.sqrt(self.num_heads)")),
    edit("scale_multiplied", "gradients", (SCALE, " * math.sqrt(self.head_dim)")),
    edit("scale_by_whole_root", "gradients", (SCALE, " / int(math.sqrt(self.head_dim))")),
    edit("scale_of_8", "gradients", (SCALE, " / math.sqrt(8)")),
    edit("softmax_over_queries", "weight sums", (SOFTMAX, "torch.softmax(scores, dim=-2)")),
    edit("softmax_left_out", "weight sums", (SOFTMAX, "scores")),
    edit("softmax_by_sigmoid", "weight sums", (SOFTMAX, "torch.sigmoid(scores)")),
    edit("softmax_twice", "nan safety", (SOFTMAX, "torch.softmax(torch.softmax(scores, dim=-1), dim=-1)")),
    edit("softmax_over_heads", "weight sums", (SOFTMAX, "torch.softmax(scores, dim=1)")),
    edit("values_summed_unweighted", "weight sums", (MIX, "v.sum(-2, keepdim=True).expand_as(q)")),
    edit("values_unprojected", "nan safety", (V, V.replace("self.W_v(V)", "V"))),
    edit("keys_unprojected", "nan safety", (K, K.replace("self.W_k(K)", "K"))),
    edit("queries_unprojected", "nan safety", (Q, Q.replace("self.W_q(Q)", "Q"))),
    edit("values_by_key_weights", "nan safety", (V, V.replace("W_v", "W_k"))),
    edit("keys_by_query_weights", "nan safety", (K, K.replace("W_k", "W_q"))),
    edit("queries_by_key_weights", "nan safety", (Q, Q.replace("W_q", "W_k"))),
    edit("one_projection", "nan safety", (K, K.replace("W_k", "W_q")), (V, V.replace("W_v", "W_q"))),
    edit("query_and_key_weights_swapped", "nan safety", (Q, Q.replace("W_q", "W_k")), (K, K.replace("W_k", "W_q"))),
    edit("query_and_value_weights_swapped", "nan safety", (Q, Q.replace("W_q", "W_v")), (V, V.replace("W_v", "W_q"))),
    edit("key_and_value_weights_swapped", "nan safety", (K, K.replace("W_k", "W_v")), (V, V.replace("W_v", "W_k"))),
    edit("output_weights_transposed", "nan safety", (OUT, f"{MERGED} @ self.W_o.weight + self.W_o.bias")),
    edit("no_output_projection", "nan safety", (OUT, MERGED)),
    edit("output_projection_twice", "nan safety", (OUT, f"self.W_o({OUT})")),
    edit("residual", "weight sums", (OUT, f"{OUT} + Q")),
    edit(
        "no_input_bias", "gradients",
        (Q, Q.replace("self.W_q(Q)", "(Q @ self.W_q.weight.T)")),
        (K, K.replace("self.W_k(K)", "(K @ self.W_k.weight.T)")),
        (V, V.replace("self.W_v(V)", "(V @ self.W_v.weight.T)")),
    ),
    edit("no_output_bias", "gradients", (OUT, f"{MERGED} @ self.W_o.weight.T")),
    edit("split_by_view", "weight sums", *BY_VIEW),
    edit("merge_by_view", "weight sums", BACK_BY_VIEW),
    edit("split_and_merge_by_view", "weight sums", *BY_VIEW, BACK_BY_VIEW),
    edit("split_interleaved", "nan safety", *IN_TURN),
    edit("merge_interleaved", "nan safety", BACK_IN_TURN),
    edit("split_and_merge_interleaved", "nan safety", *IN_TURN, BACK_IN_TURN),
    edit("heads_reversed", "nan safety", (MERGED, "attended.flip(1).transpose(1, 2).flatten(2)")),
    edit("one_head", "nan safety",
        ("heads = (self.num_heads, self.head_dim)", "heads = (1, self.num_heads * self.head_dim)")),
    edit("unstable_softmax", "nan safety", (SOFTMAX, "(scores.exp() / scores.exp().sum(-1, keepdim=True))")),
    edit("scores_clamped", "nan safety", (SCORES, f"({SCORES}).clamp(-50, 50)")),
    edit("output_detached", "gradients", (OUT, f"{OUT}.detach()")),
    edit("weights_detached", "gradients", (MIX, f"{SOFTMAX}.detach() @ v")),
    edit("values_detached", "gradients", (MIX, f"{SOFTMAX} @ v.detach()")),
)  # fmt: skip

UNNAMED = (
    unnamed(
        "the weights beside the output", "shapes", "self_attention", "output", "a tensor",
        (OUT, f"{OUT}, {SOFTMAX}"),
    ),
    unnamed("nothing is returned", "shapes", "self_attention", "output", "a tensor", (f"return {OUT}", OUT)),
    unnamed("sequence first", "shapes", "self_attention", "output", "shape (N=2, L=5, E=24)",
        (OUT, f"{OUT}.transpose(0, 1)")),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "another exception than the contract's", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("raise ValueError(", "raise TypeError("),
    ),
    unnamed(
        "no bias", "shapes", "self_attention", "W_q.bias", "a parameter of shape (24,)",
        (LAYER, "self.W_q = nn.Linear(d_model, d_model, bias=False)"),
    ),
    unnamed(
        "an input is changed in place", "gradients", "inputs_are_not_changed", "inputs changed in place", "none",
        (f"return {OUT}", f"output = {OUT}\n        if not torch.is_grad_enabled():\n            K.zero_()\n"
            "        return output"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (OUT, f"{OUT}.float()"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((SOFTMAX, f"{SOFTMAX}.square()"),),
    "values rolled by one": ((MIX, f"{SOFTMAX} @ v.roll(1, dims=2)"),),
    "keys and values swapped": ((K, K.replace("(K)", "(V)")), (V, V.replace("(V)", "(K)"))),
}
