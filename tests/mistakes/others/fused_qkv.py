"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import unnamed
from tests.mistakes.parts.fused_qkv import (
    LAYER,
    MIX,
    RETURN,
    SCALE,
    then,
)

UNNAMED = (
    unnamed(
        "the output alone", "shapes", "self_attention", "what is returned", "a tuple (out, weights)",
        (RETURN, "return self.out_proj(merged)"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError", ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "no bias", "shapes", "self_attention", "qkv_proj.bias", "a parameter of shape (72,)",
        (LAYER, "self.qkv_proj = nn.Linear(d_model, 3 * d_model, bias=False)"),
    ),
    unnamed(
        "a fused projection of one third of the size", "shapes", "self_attention", "qkv_proj.weight",
        "a parameter of shape (72, 24)", (LAYER, "self.qkv_proj = nn.Linear(d_model, d_model)"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, f"if mask is not None:\n            mask.zero_()\n        {RETURN}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (RETURN, "return self.out_proj(merged).float(), weights"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((MIX, "self.dropout(weights**2) @ v"),),
    "values rolled by one": ((MIX, "self.dropout(weights) @ v.roll(1, dims=2)"),),
    "keys of the next head": (then("k = k.roll(1, dims=1)"),),
}
