"""More mistakes in `module`: how weights meet values, values that are others, what is hidden, dropped, returned."""

from tests.mistakes import edit
from tests.mistakes.parts.module import MIX, K, V, hides

FURTHER = (
    edit("weights_squared", "weight sums", (MIX, "self.dropout(weights).square() @ V, weights")),
    edit("values_of_the_key_before", "weight sums", (MIX, "self.dropout(weights) @ V.roll(1, dims=2), weights")),
    edit("scores_returned_as_weights", "weight sums", (MIX, "self.dropout(weights) @ V, scores")),
    edit("key_and_value_inputs_swapped", "gradients", (K, "self.W_K(value)"), (V, "self.W_V(key)")),
    edit("last_key_hidden", "padding", hides("hidden | (torch.arange(K.size(2)) == K.size(2) - 1)")),
    edit("dropout_on_heads_answers", "parity", (MIX, "self.dropout(weights @ V), weights")),
)  # fmt: skip
