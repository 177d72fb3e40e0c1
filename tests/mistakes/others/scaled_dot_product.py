"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import unnamed
from tests.mistakes.parts.scaled_dot_product import (
    RETURN,
    SCALE,
    SCORES,
)

UNNAMED = (
    unnamed(
        "the output alone", "shapes", "self_attention", "what is returned", "a tuple (output, attention_weights)",
        (RETURN, "return attention_weights @ v"),
    ),
    unnamed(
        "the weights first", "shapes", "self_attention", "output", "shape (N=2, L=5, E=24)",
        (RETURN, "return attention_weights, attention_weights @ v"),
    ),
    unnamed(
        "three axes only", "shapes", "any_leading_axes", "scaled_dot_product_attention((5, 6), (7, 6), (7, 6))",
        "an answer", (SCORES, SCORES.replace("q @ k.transpose(-2, -1)", "torch.bmm(q, k.mT)")),
    ),
    unnamed(
        "as wide as the queries", "shapes", "values_of_another_width", "output",
        "shape (N=2, L=5, Dv=10)", (RETURN, "return (attention_weights @ v)[..., :q.size(-1)], attention_weights"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, f"if mask is not None and not torch.is_grad_enabled():\n        mask.zero_()\n    {RETURN}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (RETURN, "return (attention_weights @ v).float(), attention_weights"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((RETURN, "return attention_weights.square() @ v, attention_weights"),),
    "values rolled by one": ((RETURN, "return attention_weights @ v.roll(1, dims=-2), attention_weights"),),
}
