"""More mistakes in `functional`: how weights meet values, and what is hidden or left out."""

from tests.mistakes import edit
from tests.mistakes.parts.functional import LATER, MERGED, SCORES, K, V, hides

FURTHER = (
    edit("weights_squared", "weight sums", (MERGED, MERGED.replace("(weights", "(weights.square()"))),
    edit("values_of_the_key_before", "padding", (V, f"{V}.roll(1, dims=2)")),
    edit("keys_past_the_queries_left_out", "gradients", hides("hidden[..., : q.size(1)]"),
        (K, f"{K}[:, :, : q.size(1)]"), (V, f"{V}[:, :, : q.size(1)]")),
    edit("last_key_hidden", "padding", hides("hidden | (torch.arange(k.size(1)) == k.size(1) - 1)")),
    edit("causal_in_place_of_the_mask", "padding", ("    if mask is None:", "    if True:"),
        (SCORES, f"({SCORES}).masked_fill({LATER}, -math.inf)")),
)  # fmt: skip
