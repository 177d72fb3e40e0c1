"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import unnamed
from tests.mistakes.parts.plain_class import (
    LAYER,
    MIX,
    OUT,
    SCALE,
    SOFTMAX,
    K,
    V,
)

UNNAMED = (
    unnamed(
        "the weights beside the output", "shapes", "self_attention", "output", "a tensor",
        (OUT, f"{OUT}, {SOFTMAX}"),
    ),
    unnamed("nothing is returned", "shapes", "self_attention", "output", "a tensor", (f"return {OUT}", OUT)),
    unnamed("sequence first", "shapes", "self_attention", "output", "shape (N=2, L=5, E=24)",
        (OUT, f"{OUT}.transpose(0, 1)")),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "another exception than the contract's", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("raise ValueError(", "raise TypeError("),
    ),
    unnamed(
        "no bias", "shapes", "self_attention", "W_q.bias", "a parameter of shape (24,)",
        (LAYER, "self.W_q = nn.Linear(d_model, d_model, bias=False)"),
    ),
    unnamed(
        "an input is changed in place", "gradients", "inputs_are_not_changed", "inputs changed in place", "none",
        (f"return {OUT}", f"output = {OUT}\n        if not torch.is_grad_enabled():\n            K.zero_()\n"
            "        return output"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (OUT, f"{OUT}.float()"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((SOFTMAX, f"{SOFTMAX}.square()"),),
    "values rolled by one": ((MIX, f"{SOFTMAX} @ v.roll(1, dims=2)"),),
    "keys and values swapped": ((K, K.replace("(K)", "(V)")), (V, V.replace("(V)", "(K)"))),
}
