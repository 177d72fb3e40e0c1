"""More mistakes in `fused_qkv`: how weights meet values, and what is hidden, dropped, returned."""

from tests.mistakes import edit
from tests.mistakes.parts.fused_qkv import MIX, given, hides

FURTHER = (
    edit("weights_squared", "weight sums", (MIX, "self.dropout(weights).square() @ v")),
    edit("values_of_the_key_before", "weight sums", (MIX, "self.dropout(weights) @ v.roll(1, dims=2)")),
    edit("scores_returned_as_weights", "weight sums", given("scores")),
    edit("last_key_hidden", "padding", hides("hidden | (torch.arange(x.size(1)) == x.size(1) - 1)")),
    edit("dropout_on_heads_answers", "parity", (MIX, "self.dropout(weights @ v)")),
)  # fmt: skip
