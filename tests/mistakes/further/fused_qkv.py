"""More mistakes in `fused_qkv`: how weights meet values, heads of one token, and what is hidden, dropped, returned."""

from tests.mistakes import edit
from tests.mistakes.parts.fused_qkv import (
    BACK_BY_SIZE,
    BACK_FROM_A_TOKEN,
    LATER,
    MIX,
    SCORES,
    TO_HEADS_OF_A_TOKEN,
    given,
    hides,
)

FURTHER = (
    edit("weights_squared", "weight sums", (MIX, "self.dropout(weights).square() @ v")),
    edit("values_of_the_key_before", "weight sums", (MIX, "self.dropout(weights) @ v.roll(1, dims=2)")),
    edit("scores_returned_as_weights", "weight sums", given("scores")),
    edit("last_key_hidden", "padding", hides("hidden | (torch.arange(x.size(1)) == x.size(1) - 1)")),
    edit("dropout_on_heads_answers", "parity", (MIX, "self.dropout(weights @ v)")),
    edit("split_without_transpose", "shapes", TO_HEADS_OF_A_TOKEN, BACK_BY_SIZE),
    edit("split_and_merge_without_transpose", "shapes", TO_HEADS_OF_A_TOKEN, BACK_FROM_A_TOKEN),
    edit("causal_in_place_of_the_mask", "padding", ("        if mask is None:", "        if True:"),
        (SCORES, f"({SCORES}).masked_fill({LATER}, -math.inf)")),
)  # fmt: skip
