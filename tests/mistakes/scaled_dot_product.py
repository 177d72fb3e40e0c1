"""Mistakes in `scaled_dot_product`."""

from tests.mistakes import edit, unnamed

SCALE = " / math.sqrt(q.size(-1))"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))"
PLAIN = "        attention_weights = torch.softmax(scores, dim=-1)\n    else"
MASKED = "torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)"
HIDDEN = "hidden = mask.to(torch.bool)"
HIDE = "scores.masked_fill(hidden, -math.inf)"
RETURN = "return attention_weights @ v, attention_weights"
UNFILLED = (MASKED, "torch.softmax(scores, dim=-1)")


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"

EDITS = (
    edit("no_scale", "gradients", (SCALE, "")),
    edit("scale_by_head_dim", "gradients", (SCALE, " / q.size(-1)")),
    edit("scale_multiplied", "gradients", (SCALE, " * math.sqrt(q.size(-1))")),
    edit("scale_by_whole_root", "gradients", (SCALE, " / int(math.sqrt(q.size(-1)))")),
    edit("scale_of_8", "gradients", (SCALE, " / math.sqrt(8)")),
    edit("softmax_over_queries", "weight sums", *softmax(OVER_QUERIES, f"{OVER_QUERIES}.nan_to_num(0.0)")),
    edit("softmax_left_out", "weight sums", *softmax("scores", "scores.masked_fill(hidden, 0.0)")),
    edit("softmax_by_sigmoid", "weight sums", *softmax("torch.sigmoid(scores)")),
    edit("softmax_twice", "padding", (MASKED, f"{MASKED}.softmax(dim=-1)"), (PLAIN, PLAIN.replace(
        "dim=-1)", "dim=-1).softmax(dim=-1)"
    ))),
    edit("values_summed_unweighted", "weight sums",
        (RETURN, "return v.sum(-2, keepdim=True).expand(*q.shape[:-1], -1), attention_weights")),
    edit("mask_ignored", "padding", ("    if mask is None:", "    if True:")),
    edit("mask_inverted", "padding", (HIDDEN, "hidden = ~mask.to(torch.bool)")),
    edit("mask_transposed", "padding", (HIDDEN, "hidden = mask.to(torch.bool).mT")),
    edit("mask_of_first_sequence", "padding",
        (HIDDEN, "hidden = (mask[:1] if mask.dim() == 3 else mask).to(torch.bool)")),
    edit("mask_added", "padding", (HIDE, "scores + mask"), UNFILLED),
    edit("hidden_scores_zero", "padding", (HIDE, "scores.masked_fill(hidden, 0.0)"), UNFILLED),
    edit("hidden_scores_zero", "padding", (HIDE, "scores.masked_fill(hidden, 1e-9)"), UNFILLED),
    edit("hidden_scores_zero", "padding", (HIDE, "scores * ~hidden"), UNFILLED),
    edit("hidden_scores_small", "padding", (HIDE, "scores.masked_fill(hidden, -1)"), UNFILLED),
    edit("masked_after_softmax", "padding", (HIDE, "scores")),
    edit("nan_rows", "nan safety", UNFILLED),
    edit("nan_gradients", "nan safety",
        (HIDE, "scores + torch.zeros_like(scores).masked_fill(hidden, -math.inf)"),
        (MASKED, "torch.softmax(scores, dim=-1).nan_to_num(0.0)")),
    edit("nan_weights", "nan safety", UNFILLED,
        (RETURN, "return (attention_weights @ v).nan_to_num(0.0), attention_weights")),
    edit("unstable_softmax", "nan safety", *softmax(EXP)),
    edit("unstable_softmax", "nan safety", *softmax(EXP, f"{EXP}.masked_fill(hidden, 0.0)")),
    edit("scores_clamped", "nan safety", (SCORES, f"({SCORES}).clamp(-50, 50)")),
    edit("weights_transposed", "shapes", (RETURN, "return attention_weights @ v, attention_weights.mT")),
    edit("output_detached", "nan safety", (RETURN, "return (attention_weights @ v).detach(), attention_weights")),
    edit("weights_detached", "gradients", (RETURN, "return attention_weights.detach() @ v, attention_weights")),
    edit("values_detached", "gradients", (RETURN, "return attention_weights @ v.detach(), attention_weights")),
)  # fmt: skip

UNNAMED = (
    unnamed(
        "the output alone", "shapes", "self_attention", "what is returned", "a tuple (output, attention_weights)",
        (RETURN, "return attention_weights @ v"),
    ),
    unnamed(
        "the weights first", "shapes", "self_attention", "output", "shape (N=2, L=5, E=24)",
        (RETURN, "return attention_weights, attention_weights @ v"),
    ),
    unnamed(
        "three axes only", "shapes", "any_leading_axes", "scaled_dot_product_attention((5, 6), (7, 6), (7, 6))",
        "an answer", (SCORES, SCORES.replace("q @ k.transpose(-2, -1)", "torch.bmm(q, k.mT)")),
    ),
    unnamed(
        "as wide as the queries", "shapes", "values_of_another_width", "output",
        "shape (N=2, L=5, Dv=10)", (RETURN, "return (attention_weights @ v)[..., :q.size(-1)], attention_weights"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, f"if mask is not None and not torch.is_grad_enabled():\n        mask.zero_()\n    {RETURN}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (RETURN, "return (attention_weights @ v).float(), attention_weights"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((RETURN, "return attention_weights.square() @ v, attention_weights"),),
    "values rolled by one": ((RETURN, "return attention_weights @ v.roll(1, dims=-2), attention_weights"),),
}
