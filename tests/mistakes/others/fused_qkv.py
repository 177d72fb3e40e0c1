"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import disturbing, unnamed
from tests.mistakes.parts import FILLED_WHERE_INF, of_four_largest
from tests.mistakes.parts.fused_qkv import (
    FUSED,
    HIDDEN,
    LAYER,
    MERGED,
    MIX,
    RETURN,
    SCALE,
    SCORES,
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
        "no bias", "shapes", "self_attention", "qkv_proj.bias", "a parameter of shape (90,)",
        (LAYER, "self.qkv_proj = nn.Linear(d_model, 3 * d_model, bias=False)"),
    ),
    unnamed(
        "a fused projection of one third of the size", "shapes", "self_attention", "qkv_proj.weight",
        "a parameter of shape (90, 30)", (LAYER, "self.qkv_proj = nn.Linear(d_model, d_model)"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, f"if mask is not None:\n            mask.zero_()\n        {RETURN}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (RETURN, "return self.out_proj(merged).float(), weights"),
    ),
    unnamed("a mask may have two axes only", "padding", "padded_keys_get_no_weight",
        "forward((3, 7, 24), mask=(3, 1, 1, 7))", "an answer",
        (HIDDEN, "hidden = mask.expand(*scores.shape[-2:]) == 0")),
    unnamed("the first answer of each size is kept", "weight sums", "weights_are_a_distribution",
        "output of the later queries", "a different output after the first key and value changed",
        (RETURN, "self.kept = getattr(self, 'kept', {})\n        return self.kept.setdefault(x.shape, "
            "self.out_proj(merged)), weights")),
    unnamed("weights drawn anew in each call", "weight sums", "weights_are_a_distribution", "output",
        "a different output after queries and keys changed",
        (FUSED, FUSED.replace("self.qkv_proj(x)", "nn.functional.linear(x, "
            "nn.init.xavier_uniform_(self.qkv_proj.weight), self.qkv_proj.bias)"))),
    unnamed("weights scaled in each call", "weight sums", "weights_are_a_distribution",
        "output of the same call made again", "",
        (FUSED, FUSED.replace("self.qkv_proj(x)", "nn.functional.linear(x, self.qkv_proj.weight.data.mul_(0.9), "
            "self.qkv_proj.bias)"))),
    unnamed("a layer made anew in each call", "weight sums", "weights_are_a_distribution", "output",
        "a different output after queries and keys changed",
        (FUSED, FUSED.replace("self.qkv_proj(x)", "nn.Linear(x.size(-1), 3 * x.size(-1)).to(x)(x)"))),
    unnamed("two heads merged by name", "shapes", "self_attention", "forward((2, 5, 30))", "an answer",
        (MERGED, f"torch.cat([({MIX})[:, 0], ({MIX})[:, 1]], dim=-1)")),
    unnamed("a view of the input", "parity", "on_inputs_that_are_not_contiguous", "forward((2, 5, 28))", "an answer",
        (FUSED, FUSED.replace("self.qkv_proj(x)", "self.qkv_proj(x.view(-1, x.size(-1))).view(*x.shape[:2], -1)"))),
    unnamed("an input is clamped in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, f"if not torch.is_grad_enabled():\n            x.clamp_(-1, 1)\n        {RETURN}")),
    unnamed("an input is normalised in place", "gradients", "masks_are_not_changed", "inputs changed in place",
        "none",
        (RETURN, f"if not torch.is_grad_enabled():\n            x.div_(x.norm(dim=-1, keepdim=True))\n        "
            f"{RETURN}")),
    unnamed("the four largest scores alone", "padding",
        "a_padded_batch_equals_each_sequence_alone",
        "output of sequence 0, real tokens", "", (SCORES, of_four_largest(SCORES)), FILLED_WHERE_INF),
    unnamed("an input is zeroed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, "output = self.out_proj(merged)\n        if not torch.is_grad_enabled():\n"
            "            x.zero_()\n        return output, weights")),
    *disturbing("masks_are_not_changed", lambda statement: (RETURN, f"{statement}\n        {RETURN}")),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights to the power of 1.5": ((MIX, "self.dropout(weights**1.5) @ v"),),
    "values two places off": ((MIX, "self.dropout(weights) @ v.roll(2, dims=2)"),),
    "keys of the next head": (then("k = k.roll(1, dims=1)"),),
}
