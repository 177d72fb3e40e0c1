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


def lazy(kata: str) -> str:
    """The answer, each layer of which takes its width from its first input."""
    return LINEAR.sub("nn.LazyLinear(", answer(kata))


def lazy_and_xavier() -> str:
    """The same where initial weights are in the contract: drawn when there are any."""
    source = LINEAR.sub("Lazy(", answer("module"))
    assert DRAWN in source
    return source.replace(DRAWN, "            pass\n").replace("class MultiHeadAttention(", LAZY)


LAYERS = [
    case("lazy layers", "scaffold", lazy("scaffold")),
    case("lazy layers, fused", "fused_qkv", lazy("fused_qkv")),
    case("lazy layers with initial weights", "module", lazy_and_xavier()),
]
