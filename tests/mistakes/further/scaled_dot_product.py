"""More mistakes in `scaled_dot_product`: how weights meet values, and what is hidden or returned."""

from tests.mistakes import edit
from tests.mistakes.parts import FILLED_WHERE_INF, of_four_largest
from tests.mistakes.parts.scaled_dot_product import LATER, RETURN, SCORES, hides

FURTHER = (
    edit("weights_squared", "weight sums", (RETURN, "return attention_weights.square() @ v, attention_weights")),
    edit("values_of_the_key_before", "weight sums",
        (RETURN, "return attention_weights @ v.roll(1, dims=-2), attention_weights")),
    edit("scores_returned_as_weights", "weight sums", (RETURN, "return attention_weights @ v, scores")),
    edit("last_key_hidden", "padding", hides("hidden | (torch.arange(k.size(-2)) == k.size(-2) - 1)")),
    edit("four_largest_scores_alone", "padding", (SCORES, of_four_largest(SCORES)), FILLED_WHERE_INF),
    edit("causal_in_place_of_the_mask", "padding", ("    if mask is None:", "    if True:"),
        (SCORES, f"({SCORES}).masked_fill({LATER}, -math.inf)")),
)  # fmt: skip
