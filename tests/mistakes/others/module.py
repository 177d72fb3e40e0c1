"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import unnamed
from tests.mistakes.parts.module import (
    GIVEN,
    HIDDEN,
    LAYER_Q,
    MERGE,
    MIX,
    OUT,
    SCALE,
)

UNNAMED = (
    unnamed(
        "weights although nobody asked", "shapes", "no_weights_unless_wanted[return_attention=False]",
        "weights", "None", (GIVEN, "return output, weights"),
    ),
    unnamed(
        "the output alone", "shapes", "self_attention", "what is returned", "a tuple (output, weights)",
        (GIVEN, "return output"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes",
        "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError",
        ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "no bias although asked for", "shapes", "self_attention", "W_Q.bias", "a parameter of shape (24,)",
        (LAYER_Q, LAYER_Q.replace("=bias", "=False")),
        ("                nn.init.zeros_(layer.bias)", "                pass"),
    ),
    unnamed(
        "a bias although none was asked for", "shapes", "number_of_parameters",
        "number of parameters without bias",
        "1296", (LAYER_Q, LAYER_Q.replace("=bias", "=True")),
    ),
    unnamed(
        "a layer too many", "shapes", "number_of_parameters", "number of parameters", "1368",
        (LAYER_Q, f"{LAYER_Q}\n        self.extra = nn.Linear(d_model, d_model)"),
    ),
    unnamed(
        "weights as nn.Linear draws them", "shapes", "weights_start_xavier_uniform",
        "standard deviation of W_Q.weight",
        "", ("            nn.init.xavier_uniform_(layer.weight)", "            pass"),
    ),
    unnamed(
        "weights by Xavier's normal rule", "shapes", "weights_start_xavier_uniform",
        "0.2500 - abs(W_Q.weight)", "",
        ("xavier_uniform_(layer", "xavier_normal_(layer"),
    ),
    unnamed(
        "biases as nn.Linear draws them", "shapes", "biases_start_at_zero", "W_Q.bias", "",
        ("                nn.init.zeros_(layer.bias)", "                pass"),
    ),
    unnamed(
        "no extra_repr", "shapes", "extra_repr_names_the_sizes", "d_model=18 in extra_repr", "d_model=18",
        ("    def extra_repr", "    def another_repr"),
    ),
    unnamed(
        "an input is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place",
        "none",
        (OUT, f"{OUT}\n        if mask is not None:\n            mask.zero_()"),
    ),
    unnamed(
        "a call is remembered", "gradients", "no_state_is_kept", "output of the same call made again", "",
        (GIVEN, f"self.calls = getattr(self, 'calls', [])\n        self.calls.append(len(query))\n"
            f"        output = output * (2 if 3 in self.calls[:-1] and len(query) == 2 else 1)\n        {GIVEN}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (OUT, f"{OUT}.float()"),
    ),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights squared": ((MIX, "self.dropout(weights**2) @ V, weights"),),
    "values rolled by one": ((MIX, "self.dropout(weights) @ V.roll(1, dims=2), weights"),),
    "a mask that hides the last key too": ((HIDDEN, f"{HIDDEN}\n            hidden[..., -1] = True"),),
    "two heads swapped": ((MERGE, "x[:, [1, 0, *range(2, x.size(1))]].transpose(1, 2).flatten(2)"),),
}
