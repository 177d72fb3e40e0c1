"""How layers hold their weights: drawn at the first call, cut from one tensor, their gradients used up at once."""

import re

from tests.untidy.bindings import case
from tests.untidy.case import answer

LINEAR = re.compile(r"nn\.Linear\([\w.]+, ")
DRAWN = """            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
"""
LAZY = """class Lazy(nn.LazyLinear):
    def reset_parameters(self):
        if self.in_features and not self.has_uninitialized_params():
            nn.init.xavier_uniform_(self.weight)
            if self.bias is not None:
                nn.init.zeros_(self.bias)


class MultiHeadAttention("""


CUT = """class Cut(nn.Module):
    \"\"\"A layer whose weights are a part of one tensor that holds those of all.\"\"\"

    def __init__(self, owner, place, size, bias):
        super().__init__()
        self.in_features = self.out_features = size
        self.whole = lambda: owner.flat[place]
        self.has_bias = bias

    weight = property(lambda self: self.whole()[:-1] if self.has_bias else self.whole())
    bias = property(lambda self: self.whole()[-1] if self.has_bias else None)

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)


class MultiHeadAttention("""


def lazy(kata: str) -> str:
    """The answer, each layer of which takes its width from its first input."""
    return LINEAR.sub("nn.LazyLinear(", answer(kata))


def lazy_and_xavier() -> str:
    """The same where initial weights are in the contract: drawn when there are any."""
    source = LINEAR.sub("Lazy(", answer("module"))
    assert DRAWN in source
    return source.replace(DRAWN, "            pass\n").replace("class MultiHeadAttention(", LAZY)


def cut() -> str:
    """The weights of all layers are parts of one parameter."""
    places = iter(range(4))
    source = re.sub(
        r"nn\.Linear\(d_model, d_model, bias=bias\)",
        lambda _: f"Cut(self, {next(places)}, d_model, bias)",
        answer("module"),
    )
    flat = "        self.flat = nn.Parameter(torch.empty(4, d_model + bias, d_model))\n        self.W_Q = "
    return source.replace("        self.W_Q = ", flat, 1).replace("class MultiHeadAttention(", CUT, 1)


LAYERS = [
    case("lazy layers", "scaffold", lazy("scaffold")),
    case("lazy layers, fused", "fused_qkv", lazy("fused_qkv")),
    case("lazy layers with initial weights", "module", lazy_and_xavier()),
    case("weights cut from one parameter", "module", cut()),
]
