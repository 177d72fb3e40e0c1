"""What is wrong in this kata and has no name: told in words, or by values that no mistake of the catalogue gives."""

from tests.mistakes import disturbing, unnamed
from tests.mistakes.parts.plain_class import (
    LAYER,
    MERGED,
    MIX,
    OUT,
    SCALE,
    SOFTMAX,
    K,
    Q,
)

UNNAMED = (
    unnamed(
        "the weights beside the output", "shapes", "self_attention", "output", "a tensor",
        (OUT, f"{OUT}, {SOFTMAX}"),
    ),
    unnamed("nothing is returned", "shapes", "self_attention", "output", "a tensor", (f"return {OUT}", OUT)),
    unnamed("sequence first", "shapes", "self_attention", "output", "shape (N=2, L=5, E=30)",
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
        "no bias", "shapes", "self_attention", "W_q.bias", "a parameter of shape (30,)",
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
    unnamed("keys projected from the queries' input", "shapes", "cross_attention",
        "forward((2, 5, 18), (2, 7, 18), (2, 7, 18))", "an answer",
        (K, K.replace("(K)", "(Q)"))),
    unnamed("the first answer of each size is kept", "weight sums", "equal_values_come_back",
        "output of the later queries", "a different output after the first key and value changed",
        (f"return {OUT}", f"self.kept = getattr(self, 'kept', {{}})\n        return "
            f"self.kept.setdefault((Q.shape, K.shape), {OUT})")),
    unnamed("weights drawn anew in each call", "nan safety", "large_scores", "output", "",
        (Q, Q.replace("self.W_q(Q)", "nn.functional.linear(Q, nn.init.xavier_uniform_(self.W_q.weight), "
            "self.W_q.bias)"))),
    unnamed("weights scaled in each call", "weight sums", "equal_values_come_back",
        "output of the same call made again", "",
        (Q, Q.replace("self.W_q(Q)", "nn.functional.linear(Q, self.W_q.weight.data.mul_(0.9), self.W_q.bias)"))),
    unnamed("a layer made anew in each call", "nan safety", "large_scores", "output", "",
        (Q, Q.replace("self.W_q(Q)", "nn.Linear(Q.size(-1), Q.size(-1)).to(Q)(Q)"))),
    unnamed("two heads merged by name", "shapes", "self_attention", "forward((2, 5, 30), (2, 5, 30), (2, 5, 30))",
        "an answer",
        (MERGED, "torch.cat([attended[:, 0], attended[:, 1]], dim=-1)")),
    unnamed("a view of the input", "parity", "on_inputs_that_are_not_contiguous",
        "forward((2, 5, 28), (2, 5, 28), (2, 5, 28))", "an answer",
        (Q, Q.replace("self.W_q(Q)", "self.W_q(Q.view(-1, Q.size(-1))).view(Q.shape)"))),
    unnamed("an input is clamped in place", "gradients", "inputs_are_not_changed", "inputs changed in place", "none",
        (f"return {OUT}", f"output = {OUT}\n        if not torch.is_grad_enabled():\n            Q.clamp_(-1, "
            f"1)\n        return output")),
    unnamed("an input is normalised in place", "gradients", "inputs_are_not_changed", "inputs changed in place",
        "none",
        (f"return {OUT}", f"output = {OUT}\n        if not torch.is_grad_enabled():\n            "
            f"V.div_(V.norm(dim=-1, keepdim=True))\n        return output")),
    *disturbing("inputs_are_not_changed", lambda statement: (f"return {OUT}", f"{statement}\n        return {OUT}")),
)  # fmt: skip
"""An empty `expected` is a number that depends on the inputs."""

NOT_IN_THE_CATALOGUE = {
    "scores divided by 3.7": ((SCALE, " / 3.7"),),
    "weights to the power of 1.5": ((SOFTMAX, f"{SOFTMAX}**1.5"),),
    "values two places off": ((MIX, f"{SOFTMAX} @ v.roll(2, dims=2)"),),
}
