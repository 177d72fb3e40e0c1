"""Edits of our solution of `sdpa_backend`: mistakes that it is the first kata to have, and what SDPA invites."""

from tests.mistakes import edit, in_words

EARLIER = "earlier = torch.ones(L, S, dtype=torch.bool).tril()"
JOINED = "return earlier if allowed is None else allowed & earlier"
CALL = "attended = F.scaled_dot_product_attention(Q, K, V, dropout_p=dropout_p, **hides)"
EVERY_TRIANGLE = ('{"is_causal": is_causal} if mask is None else {"attn_mask": allowed}', '{"attn_mask": allowed}')
OUT = "output = self.W_O(self._combine_heads(attended))"
GIVEN = "return output, self._weights(Q, K, allowed) if return_attention else None"
HIDES = 'hides = {"is_causal": is_causal} if mask is None else {"attn_mask": allowed}'
SCORES = "scores = Q @ K.transpose(-2, -1) / math.sqrt(self.head_dim)"
START = "Q = self._split_heads(self.W_Q(query))"
BY_HAND = "attended = F.dropout(self._weights(Q, K, allowed), self.dropout, self.training) @ V"


def hidden_in_the_output(mask: str, condition: str = "mask is None", flag: str = "is_causal") -> tuple[str, str]:
    """What scaled_dot_product_attention alone is told.

    Args:
        mask: that it gets.
        condition: on which it gets none.
        flag: its `is_causal` there.
    """
    return HIDES, f'hides = {{"is_causal": {flag}}} if {condition} else {{"attn_mask": {mask}}}'


def ones_added(holds: str) -> tuple[str, str]:
    """The mask is added to the scores as 0 and 1, and the triangle as 0 and -infinity.

    Args:
        holds: of what mask it is so; others are added as 0 and -infinity.
    """
    shown = "self._allowed(None, is_causal, query.shape[1], key.shape[1])"
    triangle = f"(0.0 if {shown} is None else {shown}.to(Q.dtype).log())"
    of_mask = f"((mask != 0).to(Q.dtype) if {holds} else (mask != 0).to(Q.dtype).log())"
    return hidden_in_the_output(f"{of_mask} + {triangle}")


def triangle(earlier: str) -> tuple[tuple[str, str], ...]:
    """Another triangle, in the call without a mask too."""
    return (EARLIER, f"earlier = {earlier}"), EVERY_TRIANGLE


def joined_in_the_output(change: str, triangle: str = "") -> tuple[str, str]:
    """A mask joined with a triangle as `allowed` is not, for scaled_dot_product_attention alone.

    Args:
        change: what stands between the two.
        triangle: the diagonal of tril.
    """
    earlier = f"torch.ones(query.shape[1], key.shape[1], dtype=torch.bool).tril({triangle})"
    mask = "(torch.ones(1, dtype=torch.bool) if mask is None else mask != 0)"
    condition = "mask is None and not is_causal" if triangle else "mask is None"
    return hidden_in_the_output(f"{mask} {change} {earlier} if is_causal else allowed", condition)


def weights_of(mask: str, is_causal: str) -> tuple[str, str]:
    """The weights of another call are returned."""
    of_another_call = f"self._weights(Q, K, self._allowed({mask}, {is_causal}, query.shape[1], key.shape[1]))"
    return GIVEN, f"return output, {of_another_call} if return_attention else None"


EDITS = (
    edit("is_causal_ignored", (START, f"is_causal = False\n        {START}")),
    edit("is_causal_ignored_for_one_query", (START, f"is_causal = is_causal and query.shape[1] > 1\n        {START}")),
    edit("is_causal_ignored_beside_a_mask", (START, f"is_causal = is_causal and mask is None\n        {START}")),
    edit("mask_ignored_beside_is_causal", (START, f"mask = None if is_causal else mask\n        {START}")),
    edit("is_causal_joined_with_or", (JOINED, JOINED.replace("&", "|"))),
    edit(
        "is_causal_lower_right_beside_a_mask",
        (EARLIER, "earlier = torch.ones(L, S, dtype=torch.bool).tril(0 if mask is None else S - L)"),
    ),
    edit("is_causal_lower_right", *triangle("torch.ones(L, S, dtype=torch.bool).tril(S - L)")),
    edit("is_causal_one_key_more", *triangle("torch.ones(L, S, dtype=torch.bool).tril(1)")),
    edit("is_causal_without_diagonal", *triangle("torch.ones(L, S, dtype=torch.bool).tril(-1)")),
    edit("is_causal_inverted", *triangle("torch.ones(L, S, dtype=torch.bool).triu(1)")),
    edit("is_causal_upper", *triangle("torch.ones(L, S, dtype=torch.bool).triu()")),
    edit("weights_without_scale", (SCORES, SCORES.partition(" / ")[0])),
    edit("weights_without_mask_and_triangle", (GIVEN, GIVEN.replace("allowed", "None"))),
    edit(
        "weights_nan_rows",
        ("torch.softmax(scores, dim=-1).masked_fill(~allowed, 0.0)", "torch.softmax(scores, dim=-1)"),
    ),
    edit("weights_without_is_causal", weights_of("mask", "False")),
    edit("is_causal_ignored_in_the_output_alone", hidden_in_the_output("mask != 0", flag="False")),
    edit("is_causal_ignored_beside_a_mask_in_the_output_alone", hidden_in_the_output("mask != 0")),
    edit(
        "mask_ignored_beside_is_causal_in_the_output_alone",
        hidden_in_the_output("allowed", "mask is None or is_causal"),
    ),
    edit("mask_ignored_in_the_output_alone", hidden_in_the_output("allowed", "True")),
    edit(
        "mask_inverted_in_the_output_alone",
        hidden_in_the_output("self._allowed(mask == 0, is_causal, query.shape[1], key.shape[1])"),
    ),
    edit("float_mask_added_in_the_output_alone", ones_added("mask.is_floating_point()")),
    edit("mask_added_in_the_output_alone", ones_added("True")),
    edit("no_scale_in_the_output_alone", (CALL, CALL.replace("V, ", "V, scale=1.0, "))),
    edit("scale_by_head_dim_in_the_output_alone", (CALL, CALL.replace("(Q", "(Q / math.sqrt(self.head_dim)"))),
    edit(
        "scale_by_embed_dim_root_in_the_output_alone",
        (CALL, CALL.replace("V, ", "V, scale=self.W_Q.in_features**-0.5, ")),
    ),
    edit("scale_multiplied_in_the_output_alone", (CALL, CALL.replace("V, ", "V, scale=self.head_dim**0.5, "))),
    edit("is_causal_joined_with_or_in_the_output_alone", joined_in_the_output("|")),
    edit("is_causal_lower_right_in_the_output_alone", joined_in_the_output("&", "key.shape[1] - query.shape[1]")),
    edit("is_causal_without_diagonal_in_the_output_alone", joined_in_the_output("&", "-1")),
    edit("dropout_on_output_too", (OUT, f"{OUT}\n        output = F.dropout(output, self.dropout, self.training)")),
)

IN_WORDS = (
    in_words(
        "the attention is written out in every call",
        "sdpa_makes_the_output",
        "what made the attention without a mask",
        "F.scaled_dot_product_attention",
        (CALL, BY_HAND),
    ),
    in_words(
        "the attention is written out under a mask",
        "sdpa_makes_the_output",
        "what made the attention under a mask",
        "F.scaled_dot_product_attention",
        (CALL, f"if mask is None:\n            {CALL}\n        else:\n            {BY_HAND}"),
    ),
    in_words(
        "the attention is written out in train mode",
        "sdpa_makes_the_output_in_training",
        "what made the attention in train mode",
        "F.scaled_dot_product_attention",
        (CALL, f"if self.training:\n            {BY_HAND}\n        else:\n            {CALL}"),
    ),
)

WITHOUT_A_NAME = {
    "two heads see later keys": (
        (JOINED, f"{JOINED} | (torch.arange(self.num_heads) < 2)[:, None, None]"),
        EVERY_TRIANGLE,
    ),
    "the triangle begins one query late": (
        (EARLIER, "earlier = torch.ones(L, S, dtype=torch.bool).tril()[torch.arange(L).clamp(min=1)]"),
        EVERY_TRIANGLE,
    ),
}
