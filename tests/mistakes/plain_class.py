"""Edits of our solution of `plain_class`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import edit, in_words

SCALE = " / math.sqrt(self.head_dim)"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
SOFTMAX = "torch.softmax(scores, dim=-1)"
Q = "self.W_q(Q).unflatten(-1, heads).transpose(1, 2)"
K = "self.W_k(K).unflatten(-1, heads).transpose(1, 2)"
V = "self.W_v(V).unflatten(-1, heads).transpose(1, 2)"
MIX = "torch.softmax(scores, dim=-1) @ v"
MERGED = "attended.transpose(1, 2).flatten(2)"
OUT = "self.W_o(attended.transpose(1, 2).flatten(2))"
NORMED = "nn.functional.layer_norm({}, (self.head_dim,))"
LAYER = "self.W_q = nn.Linear(d_model, d_model)"
LAYER_V, LAYER_O = LAYER.replace("q", "v"), LAYER.replace("q", "o")


def each(split: str) -> tuple[tuple[str, str], ...]:
    """Another split of all three."""
    return tuple((old, old[: old.index(")") + 1] + split) for old in (Q, K, V))


BY_VIEW = tuple((old, f"{old[:11]}.reshape(len(Q), self.num_heads, -1, self.head_dim)") for old in (Q, K, V))
BACK_BY_VIEW = (MERGED, "attended.reshape(len(Q), Q.size(1), -1)")
IN_COLUMNS = (K, "self.W_k(K).reshape(len(K), self.num_heads, self.head_dim, -1).transpose(2, 3)")
TO_HEADS_OF_A_TOKEN = each(".unflatten(-1, heads)")
BACK_BY_SIZE = (MERGED, "attended.transpose(1, 2).reshape(Q.shape)")
BACK_FROM_A_TOKEN = (MERGED, "attended.flatten(2)")
IN_TURN = each(".unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)")
BACK_IN_TURN = (MERGED, "attended.permute(0, 2, 3, 1).flatten(2)")


def multiplied(projected: str, weights: str) -> str:
    """`self.W_q(Q)...` by hand, with what is made of `self.W_q.weight`."""
    layer, x, rest = projected[:8], projected[9], projected[11:]
    return f"({x} @ {layer}.{weights} + {layer}.bias){rest}"


def frozen(projected: str) -> str:
    """With weights that get no gradient."""
    return multiplied(projected, "weight.T.detach()")


def cut_off(projected: str) -> tuple[str, str]:
    """The input of a projection alone."""
    x = projected[9]
    return projected, projected.replace(f"({x})", f"({x}.detach())")


def made_of(change: str) -> tuple[tuple[str, str], ...]:
    """Something is done to all three once they are projected."""
    return tuple((old, old.replace(".unflatten", f"{change}.unflatten")) for old in (Q, K, V))


UNTRANSPOSED = tuple((old, multiplied(old, "weight")) for old in (Q, K, V))


EDITS = (
    edit("scale_by_embed_dim_root", (SCALE, " / math.sqrt(Q.size(-1))")),
    edit("scale_by_embed_dim", (SCALE, " / Q.size(-1)")),
    edit("scale_by_heads", (SCALE, " / self.num_heads")),
    edit("scale_by_heads_root", (SCALE, " / math.sqrt(self.num_heads)")),
    edit("softmax_over_heads", (SOFTMAX, "torch.softmax(scores, dim=1)")),
    edit("values_unprojected", (V, V.replace("self.W_v(V)", "V"))),
    edit("keys_unprojected", (K, K.replace("self.W_k(K)", "K"))),
    edit("queries_unprojected", (Q, Q.replace("self.W_q(Q)", "Q"))),
    edit("values_by_key_weights", (V, V.replace("W_v", "W_k"))),
    edit("one_layer_for_three", (LAYER_V, LAYER_V.replace("self.W_v", "self.W_q = self.W_k = self.W_v"))),
    edit("one_layer_for_four", (LAYER_O, LAYER_O.replace("self.W_o", "self.W_q = self.W_k = self.W_v = self.W_o"))),
    edit("keys_by_query_weights", (K, K.replace("W_k", "W_q"))),
    edit("merged_heads_detached", (MERGED, f"{MERGED}.detach()")),
    edit("values_by_output_weights", (V, V.replace("W_v", "W_o"))),
    edit(
        "keys_and_values_exchanged",
        (SCORES, SCORES.replace("k.", "v.")),
        (MIX, MIX.replace("@ v", "@ k")),
    ),
    edit("keys_of_first_head", (SCORES, SCORES.replace("k.transpose", "k[:, :1].transpose"))),
    edit("values_of_first_head", (MIX, f"{MIX}[:, :1]")),
    edit("queries_by_key_weights", (Q, Q.replace("W_q", "W_k"))),
    edit("one_projection", (K, K.replace("W_k", "W_q")), (V, V.replace("W_v", "W_q"))),
    edit("query_and_key_weights_swapped", (Q, Q.replace("W_q", "W_k")), (K, K.replace("W_k", "W_q"))),
    edit("query_and_value_weights_swapped", (Q, Q.replace("W_q", "W_v")), (V, V.replace("W_v", "W_q"))),
    edit("key_and_value_weights_swapped", (K, K.replace("W_k", "W_v")), (V, V.replace("W_v", "W_k"))),
    edit("output_by_query_weights", (OUT, OUT.replace("W_o", "W_q"))),
    edit("output_by_key_weights", (OUT, OUT.replace("W_o", "W_k"))),
    edit("output_by_value_weights", (OUT, OUT.replace("W_o", "W_v"))),
    edit("query_and_output_weights_swapped", (Q, Q.replace("W_q", "W_o")), (OUT, OUT.replace("W_o", "W_q"))),
    edit("key_and_output_weights_swapped", (K, K.replace("W_k", "W_o")), (OUT, OUT.replace("W_o", "W_k"))),
    edit("value_and_output_weights_swapped", (V, V.replace("W_v", "W_o")), (OUT, OUT.replace("W_o", "W_v"))),
    edit("output_weights_transposed", (OUT, f"{MERGED} @ self.W_o.weight + self.W_o.bias")),
    edit("no_output_projection", (OUT, MERGED)),
    edit("output_projection_twice", (OUT, f"self.W_o({OUT})")),
    edit(
        "no_input_bias",
        (Q, Q.replace("self.W_q(Q)", "(Q @ self.W_q.weight.T)")),
        (K, K.replace("self.W_k(K)", "(K @ self.W_k.weight.T)")),
        (V, V.replace("self.W_v(V)", "(V @ self.W_v.weight.T)")),
    ),
    edit("no_output_bias", (OUT, f"{MERGED} @ self.W_o.weight.T")),
    edit("split_by_view", *BY_VIEW),
    edit("merge_by_view", BACK_BY_VIEW),
    edit("split_and_merge_by_view", *BY_VIEW, BACK_BY_VIEW),
    edit("queries_split_by_view", BY_VIEW[0]),
    edit("keys_split_by_view", BY_VIEW[1]),
    edit("values_split_by_view", BY_VIEW[2]),
    edit("queries_and_keys_split_by_view", *BY_VIEW[:2]),
    edit("keys_split_to_columns_by_view", IN_COLUMNS),
    edit("inputs_detached", cut_off(Q), cut_off(K), cut_off(V)),
    edit("queries_input_detached", cut_off(Q)),
    edit("keys_input_detached", cut_off(K)),
    edit("values_input_detached", cut_off(V)),
    edit("split_interleaved", *IN_TURN),
    edit("merge_interleaved", BACK_IN_TURN),
    edit("split_and_merge_interleaved", *IN_TURN, BACK_IN_TURN),
    edit("heads_reversed", (MERGED, "attended.flip(1).transpose(1, 2).flatten(2)")),
    edit("one_head", ("heads = (self.num_heads, self.head_dim)", "heads = (1, self.num_heads * self.head_dim)")),
    edit("heads_averaged", (MERGED, MERGED.replace("attended", "attended.mean(1, keepdim=True).expand_as(q)"))),
    edit("first_head_alone", (MERGED, MERGED.replace("attended", "attended[:, :1].expand_as(q)"))),
    edit("heads_share_average", (MIX, f"{SOFTMAX}.mean(1, keepdim=True) @ v")),
    edit("heads_share_first", (MIX, f"{SOFTMAX}[:, :1] @ v")),
    edit(
        "heads_unfolded_in_another_order",
        (
            MERGED,
            MERGED.replace("attended", "attended.flatten(0, 1).unflatten(0, (self.num_heads, -1)).transpose(0, 1)"),
        ),
    ),
    edit(
        "heads_unfolded_by_sequences",
        (MERGED, MERGED.replace("attended", "attended.transpose(0, 1).flatten(0, 1).view(attended.shape)")),
    ),
    edit("values_made_from_keys_input", (V, V.replace("(V)", "(K)"))),
    edit("scores_transposed", (SCORES, "k @ q.transpose(-2, -1) / math.sqrt(self.head_dim)")),
    edit("keys_made_from_values_input", ("self.W_k(K)", "self.W_k(V)")),
    edit("keys_reshaped", (SCORES, SCORES.replace("k.transpose(-2, -1)", "k.reshape(*k.shape[:2], -1, k.shape[2])"))),
    edit("no_query_bias", (Q, Q.replace("self.W_q(Q)", "(Q @ self.W_q.weight.T)"))),
    edit("no_value_bias", (V, V.replace("self.W_v(V)", "(V @ self.W_v.weight.T)"))),
    edit(
        "input_bias_twice",
        *(
            (old, old.replace(each, f"({each} + {each[:8]}.bias)"))
            for old, each in ((Q, "self.W_q(Q)"), (K, "self.W_k(K)"), (V, "self.W_v(V)"))
        ),
    ),
    edit("output_bias_twice", (OUT, f"{OUT} + self.W_o.bias")),
    edit("query_weights_detached", (Q, frozen(Q))),
    edit("key_weights_detached", (K, frozen(K))),
    edit("value_weights_detached", (V, frozen(V))),
    edit("output_weights_detached", (OUT, f"{MERGED} @ self.W_o.weight.T.detach() + self.W_o.bias")),
    edit("key_and_value_inputs_swapped", (K, K.replace("(K)", "(V)")), (V, V.replace("(V)", "(K)"))),
    edit(
        "keys_past_the_queries_left_out",
        (K, K.replace("(K)", "(K[:, : Q.size(1)])")),
        (V, V.replace("(V)", "(V[:, : Q.size(1)])")),
    ),
    edit("values_by_query_weights", (V, V.replace("W_v", "W_q"))),
    edit("queries_by_value_weights", (Q, Q.replace("W_q", "W_v"))),
    edit("keys_by_value_weights", (K, K.replace("W_k", "W_v"))),
    edit("queries_for_keys", (K, Q)),
    edit("values_from_queries_input", (V, V.replace("(V)", "(Q)"))),
    edit("keys_from_queries_input", (K, K.replace("(K)", "(Q)"))),
    edit("query_weights_transposed", UNTRANSPOSED[0]),
    edit("key_weights_transposed", UNTRANSPOSED[1]),
    edit("value_weights_transposed", UNTRANSPOSED[2]),
    edit("input_weights_transposed", *UNTRANSPOSED),
    edit("all_weights_transposed", *UNTRANSPOSED, (OUT, f"{MERGED} @ self.W_o.weight + self.W_o.bias")),
    edit("last_head_alone", (MERGED, MERGED.replace("attended", "attended[:, -1:].expand_as(q)"))),
    edit("heads_summed", (MERGED, MERGED.replace("attended", "attended.sum(1, keepdim=True).expand_as(q)"))),
    edit("relu_on_projections", *made_of(".relu()")),
    edit("relu_on_queries", made_of(".relu()")[0]),
    edit("relu_on_keys", made_of(".relu()")[1]),
    edit("relu_on_values", made_of(".relu()")[2]),
    edit("relu_on_queries_and_keys", *made_of(".relu()")[:2]),
    edit("tanh_on_projections", *made_of(".tanh()")),
    edit(
        "layer_norm_on_inputs",
        *(
            (old, old.replace(f"({old[9]})", f"(nn.functional.layer_norm({old[9]}, {old[9]}.shape[-1:]))"))
            for old in (Q, K, V)
        ),
    ),
    edit(
        "gelu_on_projections",
        *((old, old.replace("self", "nn.functional.gelu(self").replace(").", ")).", 1)) for old in (Q, K, V)),
    ),
    edit("relu_on_output", (OUT, f"{OUT}.relu()")),
    edit("residual_and_layer_norm", (OUT, f"nn.functional.layer_norm(Q + {OUT}, Q.shape[-1:])")),
    edit(
        "layer_norm_on_queries_and_keys",
        (SCORES, SCORES.replace("q @ k", f"{NORMED.format('q')} @ {NORMED.format('k')}")),
    ),
    edit("split_without_transpose", *TO_HEADS_OF_A_TOKEN, BACK_BY_SIZE),
    edit("split_and_merge_without_transpose", *TO_HEADS_OF_A_TOKEN, BACK_FROM_A_TOKEN),
)

IN_WORDS = (
    in_words(
        "the weights beside the output",
        "the_output_is_returned_alone",
        "output",
        "a tensor",
        (OUT, f"{OUT}, {SOFTMAX}"),
    ),
    in_words("nothing is returned", "self_attention", "output", "a tensor", (f"return {OUT}", OUT)),
    in_words("sequence first", "self_attention", "output", "shape (N=2, L=5, E=30)", (OUT, f"{OUT}.transpose(0, 1)")),
    in_words(
        "no error for a size that the heads do not divide",
        "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads",
        "AssertionError or ValueError",
        ("if d_model % num_heads != 0:", "if False:"),
    ),
    in_words(
        "another exception than the contract's",
        "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads",
        "AssertionError or ValueError",
        ("raise ValueError(", "raise TypeError("),
    ),
    in_words(
        "no bias",
        "each_layer_has_a_bias",
        "parameters that are missing",
        "none",
        (LAYER, "self.W_q = nn.Linear(d_model, d_model, bias=False)"),
    ),
    in_words(
        "an input is changed in place",
        "inputs_are_not_changed",
        "inputs changed in place",
        "none",
        (
            f"return {OUT}",
            f"output = {OUT}\n        if not torch.is_grad_enabled():\n            K.zero_()\n        return output",
        ),
    ),
    in_words(
        "two heads merged by name",
        "self_attention",
        "forward((2, 5, 30), (2, 5, 30), (2, 5, 30))",
        "an answer",
        (MERGED, "torch.cat([attended[:, 0], attended[:, 1]], dim=-1)"),
    ),
)

WITHOUT_A_NAME = {
    "weights drawn anew in each call": (
        (
            Q,
            Q.replace(
                "self.W_q(Q)", "nn.functional.linear(Q, nn.init.xavier_uniform_(self.W_q.weight), self.W_q.bias)"
            ),
        ),
    ),
    "weights scaled in each call": (
        (Q, Q.replace("self.W_q(Q)", "nn.functional.linear(Q, self.W_q.weight.data.mul_(0.9), self.W_q.bias)")),
    ),
    "a layer made anew in each call": ((Q, Q.replace("self.W_q(Q)", "nn.Linear(Q.size(-1), Q.size(-1)).to(Q)(Q)")),),
}
