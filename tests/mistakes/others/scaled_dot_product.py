"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import disturbing, unnamed
from tests.mistakes.parts.scaled_dot_product import (
    DEF,
    HIDDEN,
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
        "the weights first", "shapes", "self_attention", "output", "shape (N=2, L=5, E=30)",
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
    unnamed("keys and queries change places in their product", "shapes", "cross_attention",
        "scaled_dot_product_attention((2, 5, 18), (2, 7, 18), (2, 7, 18))", "an answer",
        (SCORES, "k @ q.transpose(-2, -1) / math.sqrt(q.size(-1))")),
    unnamed("a mask may have two axes only", "padding", "padded_keys_get_no_weight",
        "scaled_dot_product_attention((3, 7, 24), (3, 7, 24), (3, 7, 24), (3, 1, 7))", "an answer",
        (HIDDEN, f"{HIDDEN}.expand(*scores.shape[-2:])")),
    unnamed("the first answer of each size is kept", "weight sums", "weights_are_a_distribution",
        "output of the later queries", "a different output after the first key and value changed",
        (DEF, f"KEPT = {{}}\n\n\n{DEF}"), (RETURN, "return KEPT.setdefault((q.shape, k.shape), "
            "attention_weights @ v), attention_weights")),
    unnamed("as many keys as there are queries", "shapes", "cross_attention", "weights",
        "shape (N=2, L=5, S=7)",
        (SCORES, SCORES.replace("k.", "k[..., : q.size(-2), :].")), (RETURN, "return attention_weights @ v[..., "
            ": q.size(-2), :], attention_weights")),
    unnamed("a view of the input", "parity", "heads_of_any_size",
        "scaled_dot_product_attention((5, 6), (7, 6), (7, 4))", "an answer",
        (SCORES, SCORES.replace("q @", "q.view(-1).view(q.shape) @"))),
    unnamed("an input is clamped in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, "output = attention_weights @ v\n    if not torch.is_grad_enabled():\n        q.clamp_(-1, "
            "1)\n    return output, attention_weights")),
    unnamed("an input is normalised in place", "gradients", "masks_are_not_changed", "inputs changed in place",
        "none",
        (RETURN, "output = attention_weights @ v\n    if not torch.is_grad_enabled():\n        "
            "k.div_(k.norm(dim=-1, keepdim=True))\n    return output, attention_weights")),
    unnamed("an input is zeroed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (RETURN, "output = attention_weights @ v\n    if not torch.is_grad_enabled():\n        k.zero_()\n    "
            "return output, attention_weights")),
    unnamed("all in float32", "parity", "without_loss_of_precision", "output", "",
        (DEF, f"def in_float32(attend):\n    def attention(q, k, v, mask=None):\n"
            "        output, weights = attend(q.float(), k.float(), v.float(), mask)\n"
            f"        return output.to(q), weights.to(q)\n\n    return attention\n\n\n@in_float32\n{DEF}")),
    *disturbing("masks_are_not_changed", lambda statement: (RETURN, f"{statement}\n    {RETURN}")),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights to the power of 1.5": ((RETURN, "return attention_weights**1.5 @ v, attention_weights"),),
    "values two places off": ((RETURN, "return attention_weights @ v.roll(2, dims=-2), attention_weights"),),
}
