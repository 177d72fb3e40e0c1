"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import disturbing, unnamed
from tests.mistakes.parts.functional import (
    DEF,
    DRAW_IN,
    DRAW_OUT,
    HIDDEN,
    MERGED,
    MIX,
    OUT,
    PARTS,
    SCALE,
    SCORES,
    K,
    Q,
    V,
    each,
)

DRAWN = "weights_are_drawn_as_pytorch_draws_them"
JUDGED = "(all other checks were judged on the weights drawn)"
FOUR_LAYERS = (
    (DRAW_OUT, "W_q, W_k, W_v, W_o = (nn.Linear(d_model, d_model, bias=False).to(q) for _ in range(4))"),
    (DRAW_IN, "w_q, w_k, w_v, w_o = W_q.weight, W_k.weight, W_v.weight, W_o.weight"),
    (PARTS, "pass"),
)

UNNAMED = (
    unnamed("four layers of its own", "parity", DRAWN, f"weights drawn for the query projection {JUDGED}", "",
        *FOUR_LAYERS),
    unnamed("three squares by Xavier's rule", "parity", DRAWN,
        f"weights drawn for the query projection {JUDGED}", "",
        (DRAW_IN, "squares = [nn.init.xavier_uniform_(torch.empty(d_model, d_model)) for _ in range(3)]\n"
            "    w_in = torch.cat(squares).to(q)")),
    unnamed("the input projections drawn first", "parity", DRAWN,
        f"weights drawn for the query projection {JUDGED}", "",
        (f"{DRAW_OUT}\n    {DRAW_IN}", f"{DRAW_IN}\n    {DRAW_OUT}")),
    unnamed("the keys' weights drawn first", "parity", DRAWN,
        f"weights drawn for the query projection {JUDGED}", "",
        (PARTS, "w_k, w_q, w_v = w_in.chunk(3)")),
    unnamed("the output weights not transposed", "parity", DRAWN,
        f"weights drawn for the output projection {JUDGED}", "",
        (OUT, "merged @ w_o")),
    unnamed(
        "the heads of one token attend to one another", "shapes", "self_attention",
        "multi_head_attention((2, 4, 30), (2, 6, 30), (2, 6, 30), 3, 30)", "an answer",
        *each(".unflatten(-1, heads)"), (MERGED, f"({MIX}).flatten(2)"),
    ),
    unnamed(
        "the weights beside the output", "shapes", "self_attention", "output", "a tensor",
        (OUT, f"{OUT}, weights"),
    ),
    unnamed(
        "no error for a size that the heads do not divide", "shapes",
        "a_size_that_the_heads_do_not_divide_is_refused",
        "embedding size 10 with 3 heads", "AssertionError or ValueError",
        ("if d_model % num_heads != 0:", "if False:"),
    ),
    unnamed(
        "a mask for each sequence has no axis for the heads", "padding",
        "a_padded_batch_equals_each_sequence_alone_in_form[a bool (N, L, S)]",
        "multi_head_attention((3, 7, 40), (3, 7, 40), (3, 7, 40), 4, 40, (3, 7, 7))", "an answer",
        (HIDDEN, "pass"),
    ),
    unnamed(
        "a mask is changed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (f"return {OUT}", "if mask is not None and not torch.is_grad_enabled():\n        mask.zero_()\n"
            f"    return {OUT}"),
    ),
    unnamed(
        "always float32", "parity", "in_dtype[float64]", "dtype of the output", "torch.float64",
        (OUT, f"{OUT}.float()"),
    ),
    unnamed("keys projected from the queries' input", "shapes", "self_attention",
        "multi_head_attention((2, 4, 30), (2, 6, 30), (2, 6, 30), 3, 30)", "an answer",
        (K, K.replace("(k,", "(q,"))),
    unnamed("keys and queries change places in their product", "shapes", "self_attention",
        "multi_head_attention((2, 4, 30), (2, 6, 30), (2, 6, 30), 3, 30)", "an answer",
        (SCORES, "keys @ queries.transpose(-2, -1) / math.sqrt(heads[1])")),
    unnamed("a mask may have two axes only", "padding",
        "a_padded_batch_equals_each_sequence_alone_in_form[a bool (N, L, S)]",
        "multi_head_attention((3, 7, 40), (3, 7, 40), (3, 7, 40), 4, 40, (3, 7, 7))", "an answer",
        (HIDDEN, "hidden = hidden.expand(*scores.shape[-2:])")),
    unnamed("the first answer of each size is kept", "weight sums", "equal_values_come_back",
        "output of the later queries", "a different output after the first key and value changed",
        (DEF, f"KEPT = {{}}\n\n\n{DEF}"), (f"return {OUT}", f"return KEPT.setdefault((q.shape, k.shape), {OUT})")),
    unnamed("weights scaled by a tenth", "parity", "weights_are_drawn_as_pytorch_draws_them",
        "weights drawn for the query projection (all other checks were judged on the weights drawn)", "",
        (PARTS, f"w_in = 0.9 * w_in\n    {PARTS}")),
    unnamed("two heads merged by name", "shapes", "self_attention",
        "multi_head_attention((2, 4, 30), (2, 6, 30), (2, 6, 30), 3, 30)", "an answer",
        (MERGED, f"torch.cat([({MIX})[:, 0], ({MIX})[:, 1]], dim=-1)")),
    unnamed("a view of the input", "parity", "on_inputs_that_are_not_contiguous",
        "multi_head_attention((2, 5, 28), (2, 5, 28), (2, 5, 28), 14, 28)", "an answer",
        (Q, Q.replace("F.linear(q, w_q)", "F.linear(q.view(-1, d_model), w_q).view(q.shape)"))),
    unnamed("an input is clamped in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (f"return {OUT}", f"if not torch.is_grad_enabled():\n        q.clamp_(-1, 1)\n    return {OUT}")),
    unnamed("an input is normalised in place", "gradients", "masks_are_not_changed", "inputs changed in place",
        "none",
        (f"return {OUT}", f"if not torch.is_grad_enabled():\n        v.div_(v.norm(dim=-1, keepdim=True))\n    "
            f"return {OUT}")),
    unnamed("the global seed is set before the draw", "gradients", "masks_are_not_changed",
        "global state changed", "none", (DRAW_OUT, f"torch.manual_seed(0)\n    {DRAW_OUT}")),
    unnamed("an input is zeroed in place", "gradients", "masks_are_not_changed", "inputs changed in place", "none",
        (f"return {OUT}", f"if not torch.is_grad_enabled():\n        k.zero_()\n    return {OUT}")),
    *disturbing("masks_are_not_changed", lambda statement: (f"return {OUT}", f"{statement}\n    return {OUT}")),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "values two places off": ((V, f"{V}.roll(2, dims=2)"),),
}
