"""More mistakes in `module`: how weights meet values, other values, heads, and what is hidden, dropped, returned."""

from tests.mistakes import edit
from tests.mistakes.parts.module import (
    BACK_BY_SIZE,
    BACK_FROM_A_TOKEN,
    LATER,
    MIX,
    SCORES,
    TO_HEADS_OF_A_TOKEN,
    K,
    V,
    hides,
)

FURTHER = (
    edit("weights_squared", "weight sums", (MIX, "self.dropout(weights).square() @ V, weights")),
    edit("values_of_the_key_before", "weight sums", (MIX, "self.dropout(weights) @ V.roll(1, dims=2), weights")),
    edit("scores_returned_as_weights", "weight sums", (MIX, "self.dropout(weights) @ V, scores")),
    edit("key_and_value_inputs_swapped", "gradients", (K, "self.W_K(value)"), (V, "self.W_V(key)")),
    edit("last_key_hidden", "padding", hides("hidden | (torch.arange(K.size(2)) == K.size(2) - 1)")),
    edit("dropout_on_heads_answers", "parity", (MIX, "self.dropout(weights @ V), weights")),
    edit("split_without_transpose", "shapes", TO_HEADS_OF_A_TOKEN, BACK_BY_SIZE),
    edit("split_and_merge_without_transpose", "shapes", TO_HEADS_OF_A_TOKEN, BACK_FROM_A_TOKEN),
    edit("causal_in_place_of_the_mask", "padding", ("        if mask is None:", "        if True:"),
        (SCORES, f"({SCORES}).masked_fill({LATER}, -math.inf)")),
)  # fmt: skip
