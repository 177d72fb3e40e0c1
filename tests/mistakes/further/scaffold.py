"""More mistakes in `scaffold`: how weights meet values, what is dropped and returned, and the causal mask."""

from tests.mistakes import edit
from tests.mistakes.parts.scaffold import MEAN, MIX

TRIANGLE = "device=device).tril()"

FURTHER = (
    edit("weights_squared", "weight sums", (MIX, "self.dropout(weights).square() @ v")),
    edit("values_of_the_key_before", "weight sums", (MIX, "self.dropout(weights) @ v.roll(1, dims=2)")),
    edit("scores_returned_as_weights", "weight sums", (MEAN, "attn_logits.mean(dim=1)")),
    edit("dropout_on_heads_answers", "parity", (MIX, "self.dropout(weights @ v)")),
    edit("causal_mask_without_diagonal", "shapes", (TRIANGLE, "device=device).tril(-1)")),
    edit("causal_mask_one_key_more", "shapes", (TRIANGLE, "device=device).tril(1)")),
    edit("causal_mask_lower_right", "shapes", (TRIANGLE, "device=device).tril(0 if S is None else S - T)")),
)  # fmt: skip
