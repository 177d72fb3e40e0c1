"""Edits of our solution of `scaffold`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import Edit, edit, in_words, of_four_largest

SCALE = " / math.sqrt(self.head_dim)"
LOGITS = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
HIDE = "attn_logits.masked_fill(~attn_mask, -math.inf)"
ADD = "(attn_logits + attn_mask).masked_fill(attn_mask == -math.inf, -math.inf)"
PAD = "attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -math.inf)"
MASKED = "self._apply_masks(attn_logits, attn_mask, key_padding_mask)"
Q, K, V = "self.q_proj(x)", "self.k_proj(kv)", "self.v_proj(kv)"
MIX = "self.dropout(weights) @ v"
OUT = "self.out_proj(self._merge_heads(self.dropout(weights) @ v))"
MEAN = "weights.mean(dim=1)"
LAYER_Q = "self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)"
DROPOUT = "self.dropout = nn.Dropout(cfg.dropout_p)"
FIRST = "if attn_mask is not None and attn_mask.dtype == torch.bool:"
LOWEST = "torch.finfo(attn_logits.dtype).min"
TRIANGLE = "device=device).tril()"
HIDES = {"attention": HIDE, "padding": PAD}
SEEN = {"attention": "attn_mask", "padding": "key_padding_mask[:, None, None, :]"}
ABSENT = {
    "attention": "attn_mask is None or attn_mask.dtype != torch.bool",
    "padding": "key_padding_mask is None",
}
CLEARED = "weights = torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)"


def first(mask: str, other: str) -> tuple[str, str]:
    """A mask becomes another one before anything is done with it."""
    return FIRST, f"{mask} = None if {mask} is None else {other}\n        {FIRST}"


def of_one_mask(which: str) -> tuple[Edit, ...]:
    """The mistakes that are made with one mask and not with the other: `attention` or `padding`."""
    hides, seen = HIDES[which], SEEN[which]
    filled = {"zero": "0.0", "small": "-1.0", "ten_thousand": "-1e4"}
    return (
        *(
            edit(f"scores_that_the_{which}_mask_hides_{name}", (hides, hides.replace("-math.inf", value)))
            for name, value in filled.items()
        ),
        edit(f"scores_that_the_{which}_mask_hides_less_ten_thousand", (hides, f"attn_logits + -1e4 * ~{seen}")),
        edit(f"{which}_mask_inverted", (hides, hides.replace("~", ""))),
        edit(f"{which}_mask_added", (hides, f"attn_logits + {seen}")),
        edit(f"{which}_mask_subtracted", (hides, f"attn_logits - {seen}.to(attn_logits)")),
        edit(
            f"{which}_masked_after_softmax",
            (hides, "attn_logits"),
            (CLEARED, f"{CLEARED} * (1 if {ABSENT[which]} else {seen})"),
        ),
        edit(
            f"{which}_mask_of_first_head_alone",
            (hides, f"torch.cat([{hides}[:, :1], attn_logits[:, 1:]], dim=1)"),
        ),
    )


EDITS = (
    *of_one_mask("attention"),
    *of_one_mask("padding"),
    edit("masks_inverted", (HIDE, HIDE.replace("~", "")), (PAD, PAD.replace("~", ""))),
    edit("padding_mask_ignored", (PAD, "attn_logits")),
    edit("attention_mask_ignored", (HIDE, "attn_logits"), (ADD, "attn_logits")),
    edit("padding_mask_of_first_sequence", first("key_padding_mask", "key_padding_mask[:1]")),
    edit("attention_mask_transposed", (HIDE, HIDE.replace("~attn_mask", "~attn_mask.mT"))),
    edit(
        "two_lowest_numbers_added",
        (HIDE, f"attn_logits + {LOWEST} * (~attn_mask).to(attn_logits)"),
        (ADD, f"attn_logits + attn_mask.clamp(min={LOWEST})"),
        (PAD, f"attn_logits + {LOWEST} * (~key_padding_mask[:, None, None, :]).to(attn_logits)"),
        (CLEARED, "weights = torch.softmax(attn_logits, dim=-1)"),
    ),
    edit(
        "nan_weights_of_the_sum",
        (CLEARED, "weights = torch.softmax(attn_logits, dim=-1)"),
        (MIX, f"({MIX}).nan_to_num(0.0)"),
    ),
    edit("causal_for_the_attention_mask", first("attn_mask", "torch.ones_like(attn_mask, dtype=torch.bool).tril()")),
    edit("attention_mask_of_first_query", first("attn_mask", "attn_mask[..., :1, :]")),
    edit(
        "padding_on_queries_too",
        (
            f"attn_logits = {PAD}",
            (
                f"attn_logits = {PAD}\n"
                "            if attn_logits.shape[-1] == attn_logits.shape[-2]:\n"
                "                attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, :, None], -math.inf)"
            ),
        ),
    ),
    edit("padding_on_queries", (PAD, PAD.replace("[:, None, None, :]", "[:, None, :, None]"))),
    edit(
        "masks_joined_with_or",
        (
            "        if attn_mask is not None and attn_mask.dtype",
            (
                "        if attn_mask is not None and key_padding_mask is not None:\n"
                "            allow = attn_mask | key_padding_mask[:, None, None, :]\n"
                "            return attn_logits.masked_fill(~allow, -math.inf)\n"
                "        if attn_mask is not None and attn_mask.dtype"
            ),
        ),
    ),
    edit("masks_added", (HIDE, "attn_logits + attn_mask"), (PAD, "attn_logits + key_padding_mask[:, None, None, :]")),
    edit(
        "masks_subtracted",
        (HIDE, "attn_logits - attn_mask.to(attn_logits)"),
        (PAD, "attn_logits - key_padding_mask[:, None, None, :].to(attn_logits)"),
    ),
    edit("weights_per_head", (MEAN, "weights")),
    edit("weights_summed", (MEAN, "weights.sum(dim=1)")),
    edit("weights_maximum", (MEAN, "weights.amax(dim=1)")),
    edit("weights_of_first_head", (MEAN, "weights[:, 0]")),
    edit("no_dropout", (MIX, "weights @ v")),
    edit("dropout_in_eval", (MIX, "nn.functional.dropout(weights, self.dropout.p) @ v")),
    edit("dropout_not_rescaled", (MIX, "(self.dropout(weights) * (1 - self.dropout.p * self.training)) @ v")),
    edit(
        "dropout_by_own_mask_not_rescaled",
        (MIX, "(weights * (torch.rand_like(weights) >= self.dropout.p if self.training else 1)) @ v"),
    ),
    edit(
        "dropout_by_own_mask_of_default_dtype",
        (MIX, "(weights * (torch.rand(weights.shape) >= self.dropout.p if self.training else 1)) @ v"),
    ),
    edit("dropout_of_whole_heads", (DROPOUT, DROPOUT.replace("Dropout", "Dropout2d"))),
    edit("weights_without_mask", (MEAN, "torch.softmax(q @ k.mT / math.sqrt(self.head_dim), dim=-1).mean(dim=1)")),
    edit("dropout_on_output", (OUT, "self.dropout(self.out_proj(self._merge_heads(weights @ v)))")),
    edit(
        "attention_mask_of_first_sequence", first("attn_mask", "attn_mask if attn_mask.dim() == 2 else attn_mask[:1]")
    ),
    edit(
        "attention_mask_one_key_late",
        first("attn_mask", "torch.cat([attn_mask[..., :1], attn_mask[..., :-1]], dim=-1)"),
    ),
    edit(
        "attention_mask_one_key_early",
        first("attn_mask", "torch.cat([attn_mask[..., 1:], attn_mask[..., -1:]], dim=-1)"),
    ),
    edit(
        "padding_mask_one_key_late",
        first("key_padding_mask", "torch.cat([key_padding_mask[:, :1], key_padding_mask[:, :-1]], dim=-1)"),
    ),
    edit(
        "padding_mask_one_key_early",
        first("key_padding_mask", "torch.cat([key_padding_mask[:, 1:], key_padding_mask[:, -1:]], dim=-1)"),
    ),
    edit(
        "padding_folded_in_another_order",
        (
            PAD,
            PAD.replace(
                "key_padding_mask[:, None, None, :]",
                "key_padding_mask[:, None].repeat(self.num_heads, 1, 1).unflatten(0, (-1, self.num_heads))",
            ),
        ),
    ),
    edit(
        "padding_counted_from_the_left",
        first("key_padding_mask", "torch.arange(key_padding_mask.size(1)) < key_padding_mask.sum(-1, keepdim=True)"),
    ),
    edit("float_mask_as_bool", (ADD, "attn_logits.masked_fill(~attn_mask.bool(), -math.inf)")),
    edit("float_mask_hides_nonzero", (ADD, "attn_logits.masked_fill(attn_mask != 0, -math.inf)")),
    edit("float_mask_sign_alone", (ADD, "attn_logits.masked_fill(attn_mask < 0, -math.inf)")),
    edit(
        "float_mask_negative_hides",
        (ADD, "(attn_logits + attn_mask.clamp(min=0)).masked_fill(attn_mask < 0, -math.inf)"),
    ),
    edit("float_mask_positive_seen", (ADD, "attn_logits.masked_fill(attn_mask <= 0, -math.inf)")),
    edit("float_mask_subtracted", (ADD, ADD.replace("+", "-"))),
    edit(
        "float_mask_subtracted_where_it_hides",
        (ADD, "attn_logits - attn_mask"),
        (CLEARED, "weights = torch.softmax(attn_logits, dim=-1)"),
    ),
    edit("float_mask_sign_added", (ADD, "attn_logits + attn_mask.sign()")),
    edit("float_mask_values_ignored", (ADD, "attn_logits.masked_fill(attn_mask == -math.inf, -math.inf)")),
    edit(
        "float_mask_multiplied",
        (ADD, "attn_logits * attn_mask"),
        (CLEARED, "weights = torch.softmax(attn_logits, dim=-1)"),
    ),
    edit("float_mask_scaled", (SCALE, ""), (MASKED, f"{MASKED}{SCALE}")),
    edit(
        "padding_ignored_beside_attention_mask",
        ("        if key_padding_mask is not None:", "        elif key_padding_mask is not None:"),
    ),
    edit(
        "attention_mask_ignored_beside_padding",
        (FIRST, f"attn_mask = attn_mask if key_padding_mask is None else None\n        {FIRST}"),
    ),
    edit(
        "padded_values_zeroed",
        (PAD, "attn_logits"),
        (V, f"({V} if key_padding_mask is None else {V}.masked_fill(~key_padding_mask[:, :, None], 0.0))"),
    ),
    edit("weights_of_last_head", (MEAN, "weights[:, -1]")),
    edit(
        "heads_averaged_when_asked",
        (MIX, "(self.dropout(weights).mean(1, keepdim=True) if need_weights else self.dropout(weights)) @ v"),
    ),
    edit("dropout_off_when_asked", (MIX, "(weights if need_weights else self.dropout(weights)) @ v")),
    edit("dropout_off_unless_asked", (MIX, "(self.dropout(weights) if need_weights else weights) @ v")),
    edit(
        "other_input_detached",
        ("kv = x if kv is None else kv", "kv = x if kv is None else kv.detach()"),
    ),
    edit(
        "inputs_exchanged",
        (Q, "self.q_proj(kv)"),
        (K, "self.k_proj(x)"),
        (V, "self.v_proj(x)"),
    ),
    edit("dropout_on_scores", (LOGITS, f"self.dropout({LOGITS})"), (MIX, "weights @ v")),
    edit(
        "dropout_on_masked_scores",
        (MASKED, f"self.dropout({MASKED}.clamp(min=-1e9))"),
        (CLEARED, "weights = torch.softmax(attn_logits, dim=-1)"),
        (MIX, "weights @ v"),
    ),
    edit(
        "renormalised_after_dropout", (MIX, "nn.functional.normalize(self.dropout(weights), p=1, dim=-1, eps=1e-9) @ v")
    ),
    edit("dropout_on_values", (MIX, "weights @ self.dropout(v)")),
    edit("dropout_twice", (MIX, "self.dropout(self.dropout(weights)) @ v")),
    edit("dropout_on_heads_answers", (MIX, "self.dropout(weights @ v)")),
    edit("dropout_on_heads_answers_too", (MIX, "self.dropout(self.dropout(weights) @ v)")),
    edit("dropout_on_merged_heads_too", (OUT, f"self.out_proj(self.dropout(self._merge_heads({MIX})))")),
    edit("dropout_keeps_p", (DROPOUT, DROPOUT.replace("(", "(1 - "))),
    edit("same_dropout_twice", (MIX, "(weights * self.dropout(torch.ones_like(weights)).square()) @ v")),
    edit("causal_mask_without_diagonal", (TRIANGLE, "device=device).tril(-1)")),
    edit("causal_mask_one_key_more", (TRIANGLE, "device=device).tril(1)")),
    edit("causal_mask_lower_right", (TRIANGLE, "device=device).tril(0 if S is None else S - T)")),
    edit("causal_mask_inverted", (TRIANGLE, "device=device).triu(1)")),
    edit("causal_mask_upper", (TRIANGLE, "device=device).triu()")),
)

IN_WORDS = (
    in_words(
        "weights although nobody asked",
        "no_weights_unless_wanted",
        "weights where they are declined",
        "None",
        (f"{MEAN} if need_weights else None", MEAN),
    ),
    in_words(
        "no weights although asked",
        "cross_attention_weights",
        "weights",
        "a tensor",
        (f"{MEAN} if need_weights else None", "None"),
    ),
    in_words(
        "a list is returned",
        "cross_attention_weights",
        "what is returned",
        "a tuple (y, weights)",
        (f"return y, {MEAN} if need_weights else None", f"return [y, {MEAN} if need_weights else None]"),
    ),
    in_words(
        "no bias although configured",
        "number_of_parameters",
        "parameters that are missing",
        "none",
        (LAYER_Q, LAYER_Q.replace("cfg.bias", "False")),
    ),
    in_words(
        "a layer of another name",
        "self_attention",
        "q_proj.weight",
        "a parameter of shape (30, 30)",
        (LAYER_Q, LAYER_Q.replace("q_proj", "query_proj")),
        (Q, "self.query_proj(x)"),
    ),
    in_words(
        "a helper is missing",
        "merge_heads_undoes_split_heads",
        "_merge_heads",
        "a function or method of that name",
        ("    def _merge_heads", "    def _join_heads"),
        (OUT, OUT.replace("_merge", "_join")),
    ),
    in_words(
        "the causal mask is of floats",
        "causal_mask_is_lower_triangular",
        "dtype of causal_mask",
        "torch.bool",
        ("dtype=torch.bool, device=device", "device=device"),
    ),
    in_words(
        "the causal mask ignores the device",
        "causal_mask_is_lower_triangular",
        "causal_mask(5, 8, device='nowhere')",
        "RuntimeError",
        ("dtype=torch.bool, device=device", "dtype=torch.bool"),
    ),
    in_words(
        "an attention mask may have two axes only",
        "a_prefix_does_not_depend_on_what_follows_in_format[a bool [B, 1, T, S]]",
        "forward((3, 7, 40), attn_mask=(3, 1, 7, 7), need_weights=True)",
        "an answer",
        (
            FIRST,
            f"attn_mask = None if attn_mask is None else attn_mask.expand(*attn_logits.shape[-2:])\n        {FIRST}",
        ),
    ),
)

WITHOUT_A_NAME = {
    "the calls are counted, and the output grows with them": (
        (f"y = {OUT}", f"self.calls = getattr(self, 'calls', 0) + 1\n        y = {OUT} * self.calls"),
    ),
    "the four largest scores alone": ((LOGITS, of_four_largest(LOGITS)),),
}
