"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import disturbing, unnamed
from tests.mistakes.parts import FILLED_WHERE_INF, of_four_largest
from tests.mistakes.parts.module import (
    GIVEN,
    HIDDEN,
    LAYER_Q,
    MERGE,
    MIX,
    OUT,
    SCALE,
    SCORES,
    K,
    Q,
    V,
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
        "no bias although asked for", "shapes", "self_attention", "W_Q.bias", "a parameter of shape (30,)",
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
        "0.2357 - abs(W_Q.weight)", "",
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
    unnamed("keys projected from the queries' input", "shapes", "cross_attention",
        "forward((2, 5, 18), (2, 7, 18), (2, 7, 18))", "an answer",
        (K, "self.W_K(query)")),
    unnamed("a mask may have two axes only", "padding", "padded_keys_get_no_weight",
        "forward((3, 7, 24), (3, 7, 24), (3, 7, 24), mask=(3, 1, 1, 7))", "an answer",
        (HIDDEN, "hidden = mask.expand(*scores.shape[-2:]) == 0")),
    unnamed("the first answer of each size is kept", "weight sums", "weights_are_a_distribution",
        "output of the later queries", "a different output after the first key and value changed",
        ("        attended, weights = self", "        self.kept = getattr(self, 'kept', {})\n        attended, "
            "weights = self"), (GIVEN, f"output = self.kept.setdefault((query.shape, key.shape), output)\n      "
            f"  {GIVEN}")),
    unnamed("weights drawn anew in each call", "nan safety", "large_scores", "output", "",
        (Q, "nn.functional.linear(query, nn.init.xavier_uniform_(self.W_Q.weight), self.W_Q.bias)")),
    unnamed("weights scaled in each call", "shapes", "no_weights_unless_wanted[return_attention=False]", "output", "",
        (Q, "nn.functional.linear(query, self.W_Q.weight.data.mul_(0.9), self.W_Q.bias)")),
    unnamed("a layer made anew in each call", "nan safety", "large_scores", "output", "",
        (Q, "nn.Linear(query.size(-1), query.size(-1)).to(query)(query)")),
    unnamed("as many keys as there are queries", "shapes", "cross_attention", "weights",
        "shape (N=2, H=3, L=5, S=7)",
        (K, f"{K}[:, : query.size(1)]"), (V, f"{V}[:, : query.size(1)]")),
    unnamed("two heads merged by name", "shapes", "self_attention", "forward((2, 5, 30), (2, 5, 30), (2, 5, 30))",
        "an answer",
        (MERGE, "torch.cat([x[:, 0], x[:, 1]], dim=-1)")),
    unnamed("a view of the input", "parity", "on_inputs_that_are_not_contiguous",
        "forward((2, 5, 28), (2, 5, 28), (2, 5, 28))", "an answer",
        (Q, "self.W_Q(query.view(-1, query.size(-1))).view(query.shape)")),
    unnamed("an input is zeroed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (OUT, f"{OUT}\n        if not torch.is_grad_enabled():\n            value.zero_()")),
    unnamed("an input is clamped in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (OUT, f"{OUT}\n        if not torch.is_grad_enabled():\n            query.clamp_(-1, 1)")),
    unnamed("an input is normalised in place", "gradients", "masks_are_not_changed", "inputs changed in place",
        "none",
        (OUT, f"{OUT}\n        if not torch.is_grad_enabled():\n            query.div_(query.norm(dim=-1, "
            f"keepdim=True))")),
    unnamed("the four largest scores alone", "padding",
        "a_padded_batch_equals_each_sequence_alone_in_form[a bool [B, 1, L, S]]",
        "output of sequence 0, real tokens", "", (SCORES, of_four_largest(SCORES)), FILLED_WHERE_INF),
    *disturbing("masks_are_not_changed", lambda statement: (GIVEN, f"{statement}\n        {GIVEN}")),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "values two places off": ((MIX, "self.dropout(weights) @ V.roll(2, dims=2), weights"),),
    "two heads swapped": ((MERGE, "torch.cat([x[:, :2].flip(1), x[:, 2:]], dim=1).transpose(1, 2).flatten(2)"),),
}
