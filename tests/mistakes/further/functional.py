"""More mistakes in `functional`: how weights meet values, and what is hidden or left out."""

from tests.mistakes import edit
from tests.mistakes.parts.functional import MERGED, K, V, hides

FURTHER = (
    edit("weights_squared", "weight sums", (MERGED, MERGED.replace("(weights", "(weights.square()"))),
    edit("values_of_the_key_before", "padding", (V, f"{V}.roll(1, dims=2)")),
    edit("keys_past_the_queries_left_out", "gradients", hides("hidden[..., : q.size(1)]"),
        (K, f"{K}[:, :, : q.size(1)]"), (V, f"{V}[:, :, : q.size(1)]")),
    edit("last_key_hidden", "padding", hides("hidden | (torch.arange(k.size(1)) == k.size(1) - 1)")),
)  # fmt: skip
