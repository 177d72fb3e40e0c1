"""Mistakes in `functional`."""

from tests.mistakes import edit, unnamed

SCALE = " / math.sqrt(heads[1])"
SCORES = "queries @ keys.transpose(-2, -1) / math.sqrt(heads[1])"
PLAIN = "        weights = torch.softmax(scores, dim=-1)\n    else"
MASKED = "torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)"
HIDDEN = "hidden = hidden.unsqueeze(1) if hidden.dim() == 3 else hidden"
HIDE = "scores.masked_fill(hidden, -math.inf)"
Q = "F.linear(q, w_q).unflatten(-1, heads).transpose(1, 2)"
K = "F.linear(k, w_k).unflatten(-1, heads).transpose(1, 2)"
V = "F.linear(v, w_v).unflatten(-1, heads).transpose(1, 2)"
MIX = "weights @ values"
MERGED = "(weights @ values).transpose(1, 2).flatten(2)"
OUT = "F.linear(merged, w_o)"
DRAW_OUT = "w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device=\"cpu\"), a=math.sqrt(5)).to(q)"
DRAW_IN = "w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device=\"cpu\")).to(q)"
PARTS = "w_q, w_k, w_v = w_in.chunk(3)"
UNFILLED = (MASKED, "torch.softmax(scores, dim=-1)")


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


def each(split: str) -> tuple[tuple[str, str], ...]:
    """Another split of all three."""
    return tuple((old, f"F.linear({name}, w_{name}){split}") for name, old in (("q", Q), ("k", K), ("v", V)))


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
OVER_HEADS = "torch.softmax(scores, dim=1)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"
BY_VIEW = each(".reshape(len(q), heads[0], -1, heads[1])")
BACK_BY_VIEW = (MERGED, f"({MIX}).reshape(len(q), q.size(1), -1)")
IN_TURN = each(".unflatten(-1, heads[::-1]).permute(0, 3, 1, 2)")
BACK_IN_TURN = (MERGED, f"({MIX}).permute(0, 2, 3, 1).flatten(2)")

EDITS = (
    edit("no_scale", "gradients", (SCALE, "")),
    edit("scale_by_head_dim", "gradients", (SCALE, " / heads[1]")),
    edit("scale_by_embed_dim_root", "gradients", (SCALE, " / math.sqrt(d_model)")),
    edit("scale_by_embed_dim", "gradients", (SCALE, " / d_model")),
    edit("scale_by_heads", "gradients", (SCALE, " / num_heads")),
    edit("scale_by_heads_root", "gradients", (SCALE, " / math.sqrt(num_heads)")),
    edit("scale_multiplied", "gradients", (SCALE, " * math.sqrt(heads[1])")),
    edit("scale_by_whole_root", "gradients", (SCALE, " / int(math.sqrt(heads[1]))")),
    edit("scale_of_8", "gradients", (SCALE, " / math.sqrt(8)")),
    edit("softmax_over_queries", "weight sums", *softmax(OVER_QUERIES, f"{OVER_QUERIES}.nan_to_num(0.0)")),
    edit("softmax_left_out", "weight sums", *softmax("scores", "scores.masked_fill(hidden, 0.0)")),
    edit("softmax_by_sigmoid", "weight sums", *softmax("torch.sigmoid(scores)")),
    edit("softmax_twice", "padding", (MASKED, f"{MASKED}.softmax(dim=-1)"), (PLAIN, PLAIN.replace(
        "dim=-1)", "dim=-1).softmax(dim=-1)"
    ))),
    edit("softmax_over_heads", "weight sums", *softmax(OVER_HEADS, f"{OVER_HEADS}.nan_to_num(0.0)")),
    edit("values_summed_unweighted", "weight sums", (MERGED, MERGED.replace(
        f"({MIX})", "values.sum(-2, keepdim=True).expand_as(queries)"
    ))),
    edit("values_unprojected", "nan safety", (V, V.replace("F.linear(v, w_v)", "v"))),
    edit("keys_unprojected", "nan safety", (K, K.replace("F.linear(k, w_k)", "k"))),
    edit("queries_unprojected", "nan safety", (Q, Q.replace("F.linear(q, w_q)", "q"))),
    edit("values_by_key_weights", "nan safety", (V, V.replace("w_v", "w_k"))),
    edit("keys_by_query_weights", "nan safety", (K, K.replace("w_k", "w_q"))),
    edit("queries_by_key_weights", "nan safety", (Q, Q.replace("w_q", "w_k"))),
    edit("one_projection", "nan safety", (K, K.replace("w_k", "w_q")), (V, V.replace("w_v", "w_q"))),
    edit("no_output_projection", "nan safety", (OUT, "merged")),
    edit("output_projection_twice", "nan safety", (OUT, "F.linear(F.linear(merged, w_o), w_o)")),
    edit("residual", "weight sums", (OUT, f"{OUT} + q")),
    edit("split_by_view", "weight sums", *BY_VIEW),
    edit("merge_by_view", "weight sums", BACK_BY_VIEW),
    edit("split_and_merge_by_view", "weight sums", *BY_VIEW, BACK_BY_VIEW),
    edit("split_interleaved", "nan safety", *IN_TURN),
    edit("merge_interleaved", "nan safety", BACK_IN_TURN),
    edit("split_and_merge_interleaved", "nan safety", *IN_TURN, BACK_IN_TURN),
    edit("heads_reversed", "nan safety", (MERGED, f"({MIX}).flip(1).transpose(1, 2).flatten(2)")),
    edit("one_head", "nan safety", (SCALE, " / math.sqrt(d_model // num_heads)"),
        ("heads = (num_heads, d_model // num_heads)", "heads = (1, d_model)")),
    edit("mask_ignored", "padding", ("    if mask is None:", "    if True:")),
    edit("mask_inverted", "padding", (HIDDEN, f"{HIDDEN}\n        hidden = ~hidden")),
    edit("mask_transposed", "padding", (HIDDEN, f"{HIDDEN}\n        hidden = hidden.mT")),
    edit("mask_of_first_sequence", "padding",
        (HIDDEN, f"{HIDDEN}\n        hidden = hidden[:1] if hidden.dim() == 4 else hidden")),
    edit("mask_added", "padding", (HIDE, "scores + hidden"), UNFILLED),
    edit("hidden_scores_zero", "padding", (HIDE, "scores.masked_fill(hidden, 0.0)"), UNFILLED),
    edit("hidden_scores_zero", "padding", (HIDE, "scores.masked_fill(hidden, 1e-9)"), UNFILLED),
    edit("hidden_scores_zero", "padding", (HIDE, "scores * ~hidden"), UNFILLED),
    edit("hidden_scores_small", "padding", (HIDE, "scores.masked_fill(hidden, -1)"), UNFILLED),
    edit("masked_after_softmax", "padding", (HIDE, "scores")),
    edit("nan_rows", "nan safety", UNFILLED),
    edit("nan_gradients", "nan safety",
        (HIDE, "scores + torch.zeros_like(scores).masked_fill(hidden, -math.inf)"),
        (MASKED, "torch.softmax(scores, dim=-1).nan_to_num(0.0)")),
    edit("nan_gradients", "nan safety", UNFILLED, (OUT, f"{OUT}.nan_to_num(0.0)")),
    edit("unstable_softmax", "nan safety", *softmax(EXP)),
    edit("unstable_softmax", "nan safety", *softmax(EXP, f"{EXP}.masked_fill(hidden, 0.0)")),
    edit("scores_clamped", "nan safety", (SCORES, f"({SCORES}).clamp(-50, 50)")),
    edit("output_detached", "nan safety", (OUT, f"{OUT}.detach()")),
    edit("weights_detached", "gradients", (MERGED, MERGED.replace("(weights", "(weights.detach()"))),
    edit("values_detached", "gradients", (MERGED, MERGED.replace("values)", "values.detach())"))),
)  # fmt: skip

DRAWN = "weights_are_drawn_as_pytorch_draws_them"
JUDGED = "(all other checks were judged on the weights drawn)"
FOUR_LAYERS = (
    (DRAW_OUT, "W_q, W_k, W_v, W_o = (nn.Linear(d_model, d_model, bias=False).to(q) for _ in range(4))"),
    (DRAW_IN, "w_q, w_k, w_v, w_o = W_q.weight, W_k.weight, W_v.weight, W_o.weight"),
    (PARTS, "pass"),
)

UNNAMED = (
    unnamed("four layers of its own", "parity", DRAWN, f"weights drawn for the query projection {JUDGED}", "",
        *FOUR_LAYERS),
    unnamed("three squares by Xavier's rule", "parity", DRAWN, f"weights drawn for the query projection {JUDGED}", "",
        (DRAW_IN, "w_in = torch.cat([nn.init.xavier_uniform_(torch.empty(d_model, d_model)) for _ in range(3)]).to(q)")),
    unnamed("the input projections drawn first", "parity", DRAWN, f"weights drawn for the query projection {JUDGED}", "",
        (f"{DRAW_OUT}\n    {DRAW_IN}", f"{DRAW_IN}\n    {DRAW_OUT}")),
    unnamed("the keys' weights drawn first", "parity", DRAWN, f"weights drawn for the query projection {JUDGED}", "",
        (PARTS, "w_k, w_q, w_v = w_in.chunk(3)")),
    unnamed("the output weights not transposed", "parity", DRAWN, f"weights drawn for the output projection {JUDGED}", "",
        (OUT, "merged @ w_o")),
    unnamed(
        "the weights beside the output", "shapes", "self_attention", "output", "a tensor",
        (OUT, f"{OUT}, weights"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "a mask for each sequence has no axis for the heads", "padding",
        "a_padded_batch_equals_each_sequence_alone_in_form[a bool (N, L, S)]",
        "multi_head_attention((3, 7, 40), (3, 7, 40), (3, 7, 40), 4, 40, (3, 7, 7))", "an answer", (HIDDEN, "pass"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (f"return {OUT}", f"if mask is not None and not torch.is_grad_enabled():\n        mask.zero_()\n    return {OUT}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (OUT, f"{OUT}.float()"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((MERGED, MERGED.replace("(weights", "(weights.square()")),),
    "values rolled by one": ((V, f"{V}.roll(1, dims=2)"),),
}
