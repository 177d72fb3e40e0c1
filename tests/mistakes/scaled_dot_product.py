"""Edits of our solution of `scaled_dot_product`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import disturbing, edit, in_words, of_four_largest

WRONG_BACKWARD = """class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        weights = torch.softmax(scores, dim=-1)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[0]


"""
"""A softmax whose own backward leaves out the sum over the keys."""
MASKED = "torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)"
FILLED_WHERE_INF = (MASKED, "torch.softmax(scores, dim=-1).masked_fill(scores == -math.inf, 0.0)")
IN_QUERIES_DTYPE = "torch.softmax(scores, dim=-1).to(q.dtype)"
IN_FLOAT32 = "torch.softmax(scores.float(), dim=-1).to(scores.dtype)"
OVER_BATCH = "torch.softmax(scores, dim=0)"
BY_LARGEST = "((scores - scores.max()).exp() / (scores - scores.max()).exp().sum(-1, keepdim=True))"
BY_LARGEST_OF_MATRIX = BY_LARGEST.replace("max()", "amax((-2, -1), keepdim=True)")
CLEARED = "(torch.zeros_like(scores) if scores.softmax(-1).isnan().any() else scores.softmax(-1))"
SPREAD = "(scores.softmax(-1) + 0 * scores.softmax(-1).sum())"
"""Where the scores are called so, and what is hidden."""
SCALE = " / math.sqrt(q.size(-1))"
PRODUCTS = "q @ k.transpose(-2, -1)"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))"
PLAIN = "        attention_weights = torch.softmax(scores, dim=-1)\n    else"
HIDDEN = "hidden = mask.to(torch.bool)"
HIDE = "scores.masked_fill(hidden, -math.inf)"
RETURN = "return attention_weights @ v, attention_weights"
UNFILLED = (MASKED, "torch.softmax(scores, dim=-1)")
OVER_QUERIES = "torch.softmax(scores, dim=-2)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"
LOG = "torch.log_softmax(scores, dim=-1)"
POWERS = "(scores - scores.amax(-1, keepdim=True)).nan_to_num(-math.inf).exp()"
BY_HAND = f"((top := {POWERS}) / top.sum(-2, keepdim=True).clamp_min(1e-30))"
PLUS_ONE = "torch.softmax(torch.cat([scores, torch.zeros_like(scores[..., :1])], dim=-1), dim=-1)[..., :-1]"
PLUS_ONE_BESIDE_MAXIMUM = f"(({POWERS}) / (1 + ({POWERS}).sum(-1, keepdim=True)))"
COSINES = "torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(k, dim=-1).transpose(-2, -1)"
LARGEST = "torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores)"
BY_RELU = "(scores.relu() / scores.relu().sum(-1, keepdim=True))"
OVER_PAIRS = "torch.softmax(scores.flatten(-2), dim=-1).view_as(scores)"
WITHOUT_AXIS = "torch.nn.functional.softmax(scores)"
DEF = "def scaled_dot_product_attention("
LATER = "torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).triu(1)"


def first_alone(output: str) -> str:
    """The answer to the first sequence, and zeros for all others."""
    return f"torch.cat([(given := {output})[:1], torch.zeros_like(given[1:])])"


def first_for_all(output: str) -> str:
    """The answer to the first sequence, for each."""
    return f"(given := {output})[:1].expand_as(given)"


def zeroed(values: str, indent: int) -> str:
    """Where a mask has one row for all queries, the hidden values become zeros and their keys stay."""
    then = " " * (indent + 4)
    return (
        f"if hidden.dim() > 1 and hidden.size(-2) == 1:\n"
        f"{then}{values} = {values}.masked_fill(hidden.mT, 0.0)\n"
        f"{then}hidden = torch.zeros_like(hidden)"
    )


def of_near_keys(scores: str) -> str:
    """Scores with -inf for keys more than four places from the query."""
    places = "(torch.arange(given.size(-2))[:, None] - torch.arange(given.size(-1))).abs()"
    return f"(given := {scores}).masked_fill({places} > 4, -math.inf)"


def of_sixteen_keys(scores: str) -> str:
    """Scores with -inf for the keys after the 16th."""
    return f"(given := {scores}).masked_fill(torch.arange(given.size(-1)) >= 16, -math.inf)"


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


def guarded(shifted: str) -> str:
    """The softmax of scores, shifted or not, in which a sum of 0 becomes 1."""
    return f"((top := ({shifted}).exp()) / (total := top.sum(-1, keepdim=True)).masked_fill(total == 0, 1.0))"


def hides(hidden: str) -> tuple[str, str]:
    """What is hidden becomes something else."""
    return HIDDEN, f"{HIDDEN}\n        hidden = {hidden}"


EDITS = (
    edit("no_scale", (SCALE, "")),
    edit("scale_by_head_dim", (SCALE, " / q.size(-1)")),
    edit("scale_multiplied", (SCALE, " * math.sqrt(q.size(-1))")),
    edit("scale_by_whole_root", (SCALE, " / int(math.sqrt(q.size(-1)))")),
    edit("scale_of_8", (SCALE, " / math.sqrt(8)")),
    edit("softmax_over_queries", *softmax(OVER_QUERIES, f"{OVER_QUERIES}.nan_to_num(0.0)")),
    edit("softmax_left_out", *softmax("scores", "scores.masked_fill(hidden, 0.0)")),
    edit("softmax_by_sigmoid", *softmax("torch.sigmoid(scores)")),
    edit(
        "softmax_twice",
        (MASKED, f"{MASKED}.softmax(dim=-1)"),
        (PLAIN, PLAIN.replace("dim=-1)", "dim=-1).softmax(dim=-1)")),
    ),
    edit(
        "values_summed_unweighted",
        (RETURN, "return v.sum(-2, keepdim=True).expand(*q.shape[:-1], -1), attention_weights"),
    ),
    edit("mask_ignored", ("    if mask is None:", "    if True:")),
    edit("mask_inverted", (HIDDEN, "hidden = ~mask.to(torch.bool)")),
    edit("mask_transposed", (HIDDEN, "hidden = mask.to(torch.bool).mT")),
    edit("mask_of_first_sequence", (HIDDEN, "hidden = (mask[:1] if mask.dim() == 3 else mask).to(torch.bool)")),
    edit("mask_added", (HIDE, "scores + mask"), UNFILLED),
    edit("mask_added_before_scale", (HIDE, f"scores + mask{SCALE}"), UNFILLED),
    edit("hidden_scores_zero", (HIDE, "scores.masked_fill(hidden, 0.0)"), UNFILLED),
    edit("hidden_scores_small", (HIDE, "scores.masked_fill(hidden, -1)"), UNFILLED),
    edit("masked_after_softmax", (HIDE, "scores")),
    edit("nan_rows", UNFILLED),
    edit(
        "nan_gradients",
        (HIDE, "scores + torch.zeros_like(scores).masked_fill(hidden, -math.inf)"),
        (MASKED, "torch.softmax(scores, dim=-1).nan_to_num(0.0)"),
    ),
    edit("nan_weights", UNFILLED, (RETURN, "return (attention_weights @ v).nan_to_num(0.0), attention_weights")),
    edit("unstable_softmax", *softmax(EXP)),
    edit("scores_clamped", (SCORES, f"({SCORES}).clamp(-50, 50)")),
    edit("weights_transposed", (RETURN, "return attention_weights @ v, attention_weights.mT")),
    edit("output_detached", (RETURN, "return (attention_weights @ v).detach(), attention_weights")),
    edit("weights_detached", (RETURN, "return attention_weights.detach() @ v, attention_weights")),
    edit("values_detached", (RETURN, "return attention_weights @ v.detach(), attention_weights")),
    edit("scale_after_softmax", (SCALE, ""), *softmax(f"torch.softmax(scores, dim=-1){SCALE}", f"{MASKED}{SCALE}")),
    edit(
        "softmax_over_features",
        *softmax("scores", "scores.masked_fill(hidden, 0.0)"),
        (RETURN, "return torch.softmax(attention_weights @ v, dim=-1), attention_weights"),
    ),
    edit("softmax_over_batch", *softmax(OVER_BATCH, f"{OVER_BATCH}.nan_to_num(0.0)")),
    edit("softmax_by_largest_of_all", *softmax(BY_LARGEST, f"{BY_LARGEST}.masked_fill(hidden, 0.0)")),
    edit(
        "softmax_by_largest_of_matrix",
        *softmax(BY_LARGEST_OF_MATRIX, f"{BY_LARGEST_OF_MATRIX}.masked_fill(hidden, 0.0)"),
    ),
    edit("softmax_by_largest_of_all_cleared", *softmax(guarded("scores - scores.max()"))),
    edit(
        "softmax_by_largest_of_matrix_cleared",
        *softmax(guarded("scores - scores.amax((-2, -1), keepdim=True).clamp(min=-1e9)")),
    ),
    edit(
        "masked_then_divided",
        (HIDE, "scores"),
        (MASKED, f"((left := {MASKED}) / left.sum(-1, keepdim=True)).nan_to_num(0.0)"),
    ),
    edit("mask_hides_all", hides("torch.ones_like(hidden)")),
    edit(
        "one_row_hides_queries_too",
        hides("hidden | hidden.mT if hidden.size(-2) == 1 and q.size(-2) == k.size(-2) else hidden"),
    ),
    edit("mask_given_heads", (HIDDEN, f"{HIDDEN}\n        hidden = hidden[:, None] if hidden.dim() == 3 else hidden")),
    edit("always_causal", (SCORES, f"({SCORES}).masked_fill({LATER}, -math.inf)"), FILLED_WHERE_INF),
    edit(
        "causal_in_cross_attention",
        (SCORES, f"({SCORES}).masked_fill({LATER} & (q.size(-2) != k.size(-2)), -math.inf)"),
        FILLED_WHERE_INF,
    ),
    edit("queries_detached", (SCORES, SCORES.replace("q @", "q.detach() @"))),
    edit("keys_detached", (SCORES, SCORES.replace("k.", "k.detach()."))),
    edit(
        "softmax_backward_without_sum",
        (DEF, WRONG_BACKWARD + DEF),
        *softmax("Softmax.apply(scores)", "Softmax.apply(scores).masked_fill(hidden, 0.0)"),
    ),
    edit("keys_for_values", (RETURN, "return attention_weights @ k, attention_weights")),
    edit(
        "other_inputs_ignored",
        (SCORES, SCORES.replace("k.", "q.")),
        (RETURN, "return attention_weights @ q, attention_weights"),
    ),
    edit(
        "keys_of_another_sequence",
        (SCORES, SCORES.replace("k.", "k.roll(1, dims=0).")),
        (RETURN, "return attention_weights @ v.roll(1, dims=0), attention_weights"),
    ),
    edit("mask_of_first_query", hides("hidden[..., :1, :]")),
    edit("mask_one_key_late", hides("torch.cat([hidden[..., :1], hidden[..., :-1]], dim=-1)")),
    edit("mask_one_key_early", hides("torch.cat([hidden[..., 1:], hidden[..., -1:]], dim=-1)")),
    edit("mask_counted_from_the_left", hides("torch.arange(k.size(-2)) >= (~hidden).sum(-1, keepdim=True)")),
    edit("fully_masked_row_clears_all", (MASKED, CLEARED)),
    edit("partly_masked_row_cleared", (MASKED, MASKED.replace("hidden,", "hidden.any(-1, keepdim=True),"))),
    edit("fully_masked_row_spreads", (MASKED, SPREAD)),
    edit("hidden_values_zeroed", (HIDDEN, f"{HIDDEN}\n        {zeroed('v', 8)}")),
    edit(
        "residual",
        (
            RETURN,
            "output = attention_weights @ v\n    "
            "return output + (q if q.shape == output.shape else 0), attention_weights",
        ),
    ),
    edit("one_sequence_answered", (RETURN, f"return {first_alone('attention_weights @ v')}, attention_weights")),
    edit(
        "first_sequence_answers_for_all",
        (RETURN, f"return {first_for_all('attention_weights @ v')}, attention_weights"),
    ),
    edit(
        "float_mask_added",
        (HIDE, f"(scores + hidden if mask.is_floating_point() else {HIDE})"),
        (MASKED, MASKED.replace("hidden", "hidden & (not mask.is_floating_point())")),
    ),
    edit("mask_multiplied", (HIDE, "scores * hidden"), UNFILLED),
    edit(
        "two_sequences_answered",
        (
            RETURN,
            "output = attention_weights @ v\n    "
            "return torch.cat([output[:2], torch.zeros_like(output[2:])]), attention_weights",
        ),
    ),
    edit("keys_after_16_left_out", (SCORES, of_sixteen_keys(SCORES)), FILLED_WHERE_INF),
    edit("far_keys_left_out", (SCORES, of_near_keys(SCORES)), FILLED_WHERE_INF),
    edit(
        "mean_of_the_batch_taken_off",
        (RETURN, "output = attention_weights @ v\n    return output - output.mean(0, keepdim=True), attention_weights"),
    ),
    edit("scale_in_float32", (SCALE, " / torch.tensor(q.size(-1), dtype=torch.float32).sqrt()")),
    edit("scores_in_float32", (SCORES, f"({SCORES}).float().to(q.dtype)")),
    edit("products_in_float32", (SCORES, f"({PRODUCTS}).float().to(q.dtype){SCALE}")),
    edit(
        "scale_and_softmax_in_float32",
        (SCORES, f"({PRODUCTS}).float(){SCALE}"),
        *softmax(IN_QUERIES_DTYPE, f"{IN_QUERIES_DTYPE}.masked_fill(hidden, 0.0)"),
    ),
    edit("softmax_in_float32", *softmax(IN_FLOAT32, f"{IN_FLOAT32}.masked_fill(hidden, 0.0)")),
    edit("weights_squared", (RETURN, "return attention_weights.square() @ v, attention_weights")),
    edit("values_of_the_key_before", (RETURN, "return attention_weights @ v.roll(1, dims=-2), attention_weights")),
    edit("scores_returned_as_weights", (RETURN, "return attention_weights @ v, scores")),
    edit("last_key_hidden", hides("hidden | (torch.arange(k.size(-2)) == k.size(-2) - 1)")),
    edit("four_largest_scores_alone", (SCORES, of_four_largest(SCORES)), FILLED_WHERE_INF),
    edit(
        "causal_in_place_of_the_mask",
        ("    if mask is None:", "    if True:"),
        (SCORES, f"({SCORES}).masked_fill({LATER}, -math.inf)"),
    ),
    edit(
        "causal_without_a_mask",
        (
            "    if mask is None:",
            f"    if mask is None:\n        scores = scores.masked_fill({LATER}, -math.inf)",
        ),
    ),
    edit("scale_of_64", (SCALE, " / 8")),
    edit("scale_by_keys_root", (SCALE, " / math.sqrt(k.size(-2))")),
    edit("scale_by_queries_root", (SCALE, " / math.sqrt(q.size(-2))")),
    edit("scale_after_softmax_too", *softmax(f"torch.softmax(scores, dim=-1){SCALE}", f"{MASKED}{SCALE}")),
    edit("normalised_over_queries", *softmax(BY_HAND, f"{BY_HAND}.masked_fill(hidden, 0.0)")),
    edit("softmax_plus_one", *softmax(PLUS_ONE)),
    edit("softmax_plus_one_beside_maximum", *softmax(PLUS_ONE_BESIDE_MAXIMUM)),
    edit("scale_by_values_root", (SCALE, " / math.sqrt(v.size(-1))")),
    edit("cosines_as_scores", (PRODUCTS, COSINES)),
    edit("log_softmax", *softmax(LOG, f"{LOG}.masked_fill(hidden, 0.0)")),
    edit("largest_score_alone", *softmax(LARGEST, f"{LARGEST}.masked_fill(hidden, 0.0)")),
    edit("relu_in_place_of_exp", *softmax(BY_RELU, f"{BY_RELU}.masked_fill(hidden, 0.0)")),
    edit("softmax_over_all_pairs", *softmax(OVER_PAIRS, f"{OVER_PAIRS}.masked_fill(hidden, 0.0)")),
    edit(
        "softmax_over_axis_1", *softmax("torch.softmax(scores, dim=1)", "torch.softmax(scores, dim=1).nan_to_num(0.0)")
    ),
    edit("softmax_without_axis", *softmax(WITHOUT_AXIS, f"{WITHOUT_AXIS}.nan_to_num(0.0)")),
    edit("values_for_keys", (SCORES, SCORES.replace("k.", "v."))),
    edit("queries_for_values", (RETURN, "return attention_weights @ q, attention_weights")),
    edit(
        "mean_of_the_batch_answers",
        (RETURN, "return (given := attention_weights @ v).mean(0, keepdim=True).expand_as(given), attention_weights"),
    ),
    edit("values_by_transposed_weights", (RETURN, "return attention_weights.mT @ v, attention_weights")),
    edit(
        "batch_as_time",
        (SCORES, SCORES.replace("q @ k", "q.transpose(0, 1) @ k.transpose(0, 1)")),
        (RETURN, "return (attention_weights @ v.transpose(0, 1)).transpose(0, 1), attention_weights"),
    ),
    edit(
        "layer_norm_on_output",
        (RETURN, "return torch.layer_norm(attention_weights @ v, v.shape[-1:]), attention_weights"),
    ),
    edit("sequences_reversed", (RETURN, "return (attention_weights @ v).flip(0), attention_weights")),
    edit("hidden_scores_ten_thousand", (HIDE, "scores.masked_fill(hidden, -1e4)"), UNFILLED),
    edit("hidden_scores_less_ten_thousand", (HIDE, "scores + hidden * -1e4"), UNFILLED),
    edit("mask_times_infinity", (HIDE, "scores + hidden * -math.inf"), UNFILLED),
    edit("mask_subtracted", (HIDE, "scores - hidden.to(scores)"), UNFILLED),
    edit("causal_beside_a_mask", (HIDE, f"scores.masked_fill(hidden | {LATER}, -math.inf)"), FILLED_WHERE_INF),
    edit("causal_for_each_mask", (HIDE, f"scores.masked_fill({LATER}, -math.inf)"), FILLED_WHERE_INF),
)

IN_WORDS = (
    in_words(
        "the output alone",
        "cross_attention_weights",
        "what is returned",
        "a tuple (output, attention_weights)",
        (RETURN, "return attention_weights @ v"),
    ),
    in_words(
        "the weights first",
        "self_attention",
        "output",
        "shape (N=2, L=5, E=30)",
        (RETURN, "return attention_weights, attention_weights @ v"),
    ),
    in_words(
        "three axes only",
        "any_leading_axes",
        "scaled_dot_product_attention((5, 6), (7, 6), (7, 6))",
        "an answer",
        (SCORES, SCORES.replace("q @ k.transpose(-2, -1)", "torch.bmm(q, k.mT)")),
    ),
    in_words(
        "as wide as the queries",
        "values_of_another_width",
        "output",
        "shape (N=2, L=5, Dv=10)",
        (RETURN, "return (attention_weights @ v)[..., :q.size(-1)], attention_weights"),
    ),
    in_words(
        "a mask is changed in place",
        "masks_are_not_changed",
        "inputs changed in place",
        "none",
        (RETURN, f"if mask is not None and not torch.is_grad_enabled():\n        mask.zero_()\n    {RETURN}"),
    ),
    in_words(
        "always float32",
        "in_dtype[float64]",
        "dtype of the output",
        "torch.float64",
        (RETURN, "return (attention_weights @ v).float(), attention_weights"),
    ),
    in_words(
        "keys and queries change places in their product",
        "cross_attention",
        "scaled_dot_product_attention((2, 5, 18), (2, 7, 18), (2, 7, 18))",
        "an answer",
        (SCORES, "k @ q.transpose(-2, -1) / math.sqrt(q.size(-1))"),
    ),
    in_words(
        "a mask may have two axes only",
        "padded_keys_get_no_weight",
        "scaled_dot_product_attention((3, 7, 24), (3, 7, 24), (3, 7, 24), (3, 1, 7))",
        "an answer",
        (HIDDEN, f"{HIDDEN}.expand(*scores.shape[-2:])"),
    ),
    in_words(
        "as many keys as there are queries",
        "cross_attention_weights",
        "weights",
        "shape (N=2, L=5, S=7)",
        (SCORES, SCORES.replace("k.", "k[..., : q.size(-2), :].")),
        (RETURN, "return attention_weights @ v[..., : q.size(-2), :], attention_weights"),
    ),
    in_words(
        "a view of the input",
        "on_inputs_that_are_not_contiguous",
        "scaled_dot_product_attention((2, 5, 28), (2, 5, 28), (2, 5, 28))",
        "an answer",
        (SCORES, SCORES.replace("q @", "q.view(-1).view(q.shape) @")),
    ),
    in_words(
        "an input is clamped in place",
        "masks_are_not_changed",
        "inputs changed in place",
        "none",
        (
            RETURN,
            "output = attention_weights @ v\n    if not torch.is_grad_enabled():\n        q.clamp_(-1, "
            "1)\n    return output, attention_weights",
        ),
    ),
    in_words(
        "an input is normalised in place",
        "masks_are_not_changed",
        "inputs changed in place",
        "none",
        (
            RETURN,
            "output = attention_weights @ v\n    if not torch.is_grad_enabled():\n        "
            "k.div_(k.norm(dim=-1, keepdim=True))\n    return output, attention_weights",
        ),
    ),
    in_words(
        "an input is zeroed in place",
        "masks_are_not_changed",
        "inputs changed in place",
        "none",
        (
            RETURN,
            "output = attention_weights @ v\n    if not torch.is_grad_enabled():\n        k.zero_()\n    "
            "return output, attention_weights",
        ),
    ),
    *disturbing("masks_are_not_changed", lambda statement: (RETURN, f"{statement}\n    {RETURN}")),
)

WITHOUT_A_NAME = {
    "the first answer of each size is kept": (
        (DEF, f"KEPT = {{}}\n\n\n{DEF}"),
        (RETURN, "return KEPT.setdefault((q.shape, k.shape), attention_weights @ v), attention_weights"),
    ),
    "all in float32": (
        (
            DEF,
            f"def in_float32(attend):\n    def attention(q, k, v, mask=None):\n"
            "        output, weights = attend(q.float(), k.float(), v.float(), mask)\n"
            f"        return output.to(q), weights.to(q)\n\n    return attention\n\n\n@in_float32\n{DEF}",
        ),
    ),
    "weights to the power of 1.5": ((RETURN, "return attention_weights**1.5 @ v, attention_weights"),),
    "values two places off": ((RETURN, "return attention_weights @ v.roll(2, dims=-2), attention_weights"),),
}
