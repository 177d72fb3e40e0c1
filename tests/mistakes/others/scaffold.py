"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import disturbing, unnamed
from tests.mistakes.parts import of_four_largest
from tests.mistakes.parts.scaffold import (
    FIRST,
    HIDE,
    LAYER_Q,
    LOGITS,
    MEAN,
    MERGE,
    MIX,
    OUT,
    PAD,
    SCALE,
    K,
    Q,
    V,
)

ALONE = "no_weights_unless_wanted[need_weights=False]"
REFUSED = "a_size_that_the_heads_do_not_divide_is_refused"
CHECK_SIZE = "if cfg.embed_dim % cfg.num_heads != 0:"

UNNAMED = (
    unnamed(
        "weights although nobody asked", "shapes", ALONE, "weights", "None",
        (f"{MEAN} if need_weights else None", MEAN),
    ),
    unnamed(
        "no weights although asked", "shapes", "self_attention", "weights", "a tensor",
        (f"{MEAN} if need_weights else None", "None"),
    ),
    unnamed(
        "a list is returned", "shapes", "self_attention", "what is returned", "a tuple (y, weights)",
        (f"return y, {MEAN} if need_weights else None", f"return [y, {MEAN} if need_weights else None]"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes", REFUSED,
        "embedding size 10 with 3 heads", "AssertionError or ValueError", (CHECK_SIZE, "if False:"),
    ),
    unnamed(
        "no bias although configured", "shapes", "self_attention", "q_proj.bias",
        "a parameter of shape (30,)",
        (LAYER_Q, LAYER_Q.replace("cfg.bias", "False")),
    ),
    unnamed(
        "a layer of another name", "shapes", "self_attention", "q_proj.weight",
        "a parameter of shape (30, 30)",
        (LAYER_Q, LAYER_Q.replace("q_proj", "query_proj")), (Q, "self.query_proj(x)"),
    ),
    unnamed(
        "a helper is missing", "shapes", "merge_heads_undoes_split_heads", "_merge_heads",
        "a function or method of that name",
        ("    def _merge_heads", "    def _join_heads"), (OUT, OUT.replace("_merge", "_join")),
    ),
    unnamed(
        "the causal mask is of floats", "shapes", "causal_mask_is_lower_triangular", "dtype of causal_mask",
        "torch.bool", ("dtype=torch.bool, device=device", "device=device"),
    ),
    unnamed(
        "the causal mask ignores the device", "shapes", "causal_mask_is_lower_triangular",
        "causal_mask(5, 8, device='nowhere')", "RuntimeError",
        ("dtype=torch.bool, device=device", "dtype=torch.bool"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        ("return attn_logits\n", "return attn_logits if key_padding_mask is None else "
            "attn_logits + 0 * key_padding_mask.logical_not_().sum()\n"),
    ),
    unnamed(
        "the first answer of each size is kept", "weight sums", "weights_are_a_distribution",
        "output of the later queries", "a different output after the first key and value changed",
        (f"y = {OUT}", "self.kept = getattr(self, 'kept', {})\n"
            f"        y = self.kept.setdefault((x.shape, kv.shape), {OUT})"),
    ),
    unnamed(
        "the calls are counted, and the output grows with them", "shapes", ALONE, "output", "",
        (f"y = {OUT}", f"self.calls = getattr(self, 'calls', 0) + 1\n        y = {OUT} * self.calls"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (f"y = {OUT}", f"y = {OUT}.float()"),
    ),
    unnamed("keys projected from x beside values from kv", "shapes", "cross_attention",
        "forward((2, 5, 18), (2, 7, 18), need_weights=True)", "an answer",
        (K, "self.k_proj(x)")),
    unnamed("an attention mask may have two axes only", "shapes",
        "apply_masks_keeps_what_may_be_seen", "_apply_masks((2, 3, 5, 7), (2, 1, 5, 7), (2, 7))", "an answer",
        (FIRST, f"attn_mask = None if attn_mask is None else attn_mask.expand(*attn_logits.shape[-2:])\n        "
            f"{FIRST}")),
    unnamed("weights drawn anew in each call", "nan safety", "large_scores", "output", "",
        (Q, "nn.functional.linear(x, nn.init.xavier_uniform_(self.q_proj.weight), self.q_proj.bias)")),
    unnamed("weights scaled in each call", "shapes", "no_weights_unless_wanted[need_weights=False]", "output", "",
        (Q, "nn.functional.linear(x, self.q_proj.weight.data.mul_(0.9), self.q_proj.bias)")),
    unnamed("a layer made anew in each call", "nan safety", "large_scores", "output", "",
        (Q, "nn.Linear(x.size(-1), x.size(-1)).to(x)(x)")),
    unnamed("as many keys as there are queries", "shapes", "cross_attention", "weights",
        "shape (N=2, L=5, S=7)",
        (K, f"{K}[:, : x.size(1)]"), (V, f"{V}[:, : x.size(1)]")),
    unnamed("two heads merged by name", "shapes", "self_attention", "forward((2, 5, 30), need_weights=True)",
        "an answer",
        (MERGE, "torch.cat([x[:, 0], x[:, 1]], dim=-1)")),
    unnamed("a view of the input", "parity", "on_inputs_that_are_not_contiguous",
        "forward((2, 5, 28), need_weights=True)", "an answer",
        (Q, "self.q_proj(x.view(-1, x.size(-1))).view(x.shape)")),
    unnamed("an input is zeroed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (f"y = {OUT}", f"y = {OUT}\n        if not torch.is_grad_enabled():\n            kv.zero_()")),
    unnamed("an input is clamped in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (f"y = {OUT}", f"y = {OUT}\n        if not torch.is_grad_enabled():\n            x.clamp_(-1, 1)")),
    unnamed("an input is normalised in place", "gradients", "masks_are_not_changed", "inputs changed in place",
        "none",
        (f"y = {OUT}", f"y = {OUT}\n        if not torch.is_grad_enabled():\n            x.div_(x.norm(dim=-1, "
            f"keepdim=True))")),
    unnamed("the four largest scores alone", "padding",
        "a_padded_batch_equals_each_sequence_alone",
        "output of sequence 0, real tokens", "", (LOGITS, of_four_largest(LOGITS))),
    *disturbing("masks_are_not_changed", lambda statement: (f"y = {OUT}", f"{statement}\n        y = {OUT}")),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights to the power of 1.5": ((MIX, "self.dropout(weights**1.5) @ v"),),
    "values two places off": ((MIX, "self.dropout(weights) @ v.roll(2, dims=2)"),),
    "output doubled": ((OUT, f"2 * {OUT}"),),
    "hidden scores at -2.5": ((HIDE, HIDE.replace("-math.inf", "-2.5")), (PAD, PAD.replace("-math.inf", "-2.5"))),
    "noise of one thousandth": ((OUT, f"{OUT} * 1.001"),),
}
