"""More mistakes in `plain_class`: how weights meet values, keys and values that are others, heads of one token."""

from tests.mistakes import edit
from tests.mistakes.parts.plain_class import BACK_BY_SIZE, BACK_FROM_A_TOKEN, MIX, SOFTMAX, TO_HEADS_OF_A_TOKEN, K, V

FURTHER = (
    edit("weights_squared", "weight sums", (SOFTMAX, f"{SOFTMAX}.square()")),
    edit("values_of_the_key_before", "nan safety", (MIX, f"{SOFTMAX} @ v.roll(1, dims=2)")),
    edit("key_and_value_inputs_swapped", "weight sums", (K, K.replace("(K)", "(V)")), (V, V.replace("(V)", "(K)"))),
    edit("keys_past_the_queries_left_out", "gradients",
        (K, K.replace("(K)", "(K[:, : Q.size(1)])")), (V, V.replace("(V)", "(V[:, : Q.size(1)])"))),
    edit("split_without_transpose", "shapes", *TO_HEADS_OF_A_TOKEN, BACK_BY_SIZE),
    edit("split_and_merge_without_transpose", "shapes", *TO_HEADS_OF_A_TOKEN, BACK_FROM_A_TOKEN),
)  # fmt: skip
