"""More mistakes in `scaffold`: how weights meet values, what is dropped and returned, heads, and causal masks."""

from tests.mistakes import edit
from tests.mistakes.parts.scaffold import (
    ADD,
    BACK_BY_SIZE,
    BACK_FROM_A_TOKEN,
    HID,
    HIDE,
    LATER,
    MEAN,
    MIX,
    PAD,
    TO_HEADS_OF_A_TOKEN,
)

TRIANGLE = "device=device).tril()"

FURTHER = (
    edit("weights_squared", "weight sums", (MIX, "self.dropout(weights).square() @ v")),
    edit("values_of_the_key_before", "weight sums", (MIX, "self.dropout(weights) @ v.roll(1, dims=2)")),
    edit("scores_returned_as_weights", "weight sums", (MEAN, "attn_logits.mean(dim=1)")),
    edit("dropout_on_heads_answers", "parity", (MIX, "self.dropout(weights @ v)")),
    edit("causal_mask_without_diagonal", "shapes", (TRIANGLE, "device=device).tril(-1)")),
    edit("causal_mask_one_key_more", "shapes", (TRIANGLE, "device=device).tril(1)")),
    edit("causal_mask_lower_right", "shapes", (TRIANGLE, "device=device).tril(0 if S is None else S - T)")),
    edit("split_without_transpose", "shapes", TO_HEADS_OF_A_TOKEN, BACK_BY_SIZE),
    edit("split_and_merge_without_transpose", "shapes", TO_HEADS_OF_A_TOKEN, BACK_FROM_A_TOKEN),
    edit("causal_in_place_of_the_mask", "shapes", (HIDE, "attn_logits"), (ADD, "attn_logits"), (PAD, "attn_logits"),
        (HID, f"return attn_logits.masked_fill({LATER}, -math.inf)\n")),
)  # fmt: skip
