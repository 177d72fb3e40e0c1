"""More mistakes in `plain_class`: how weights meet values, and keys and values that are others."""

from tests.mistakes import edit
from tests.mistakes.parts.plain_class import MIX, SOFTMAX, K, V

FURTHER = (
    edit("weights_squared", "weight sums", (SOFTMAX, f"{SOFTMAX}.square()")),
    edit("values_of_the_key_before", "nan safety", (MIX, f"{SOFTMAX} @ v.roll(1, dims=2)")),
    edit("key_and_value_inputs_swapped", "weight sums", (K, K.replace("(K)", "(V)")), (V, V.replace("(V)", "(K)"))),
    edit("keys_past_the_queries_left_out", "gradients",
        (K, K.replace("(K)", "(K[:, : Q.size(1)])")), (V, V.replace("(V)", "(V[:, : Q.size(1)])"))),
)  # fmt: skip
