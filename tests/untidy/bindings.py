"""How a name comes to stand for the answer: put in by later cells, made by Python, taken away in the end."""

from textwrap import dedent, indent

from tests import fakes
from tests.untidy.case import Case, answer, book, edited, script

MADE = """import math
from dataclasses import dataclass, field
import torch
from torch import nn

@dataclass(frozen=True, slots=True, eq=False)
class MultiHeadAttention:
    d_model: int
    num_heads: int
    W_q: nn.Linear = field(init=False, repr=False)
    W_k: nn.Linear = field(init=False, repr=False)
    W_v: nn.Linear = field(init=False, repr=False)
    W_o: nn.Linear = field(init=False, repr=False)

    def __post_init__(self):
        if self.d_model % self.num_heads:
            raise ValueError("d_model % num_heads")
        for name in ("W_q", "W_k", "W_v", "W_o"):
            object.__setattr__(self, name, nn.Linear(self.d_model, self.d_model))

    def forward(self, Q, K, V):
        q, k, v = (w(x).unflatten(2, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        w = (torch.einsum("nlhd,nshd->nhls", q, k) / math.sqrt(q.size(3))).softmax(3)
        return self.W_o(torch.einsum("nhls,nshd->nlhd", w, v).flatten(2))
"""
LOOPS = """import math, torch
from torch import nn

class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.h, self.d = num_heads, d_model // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, Q, K, V):
        q, k, v = self.W_q(Q), self.W_k(K), self.W_v(V)
        rows = []
        for n in range(len(Q)):
            for l in range(Q.size(1)):
                for h in range(self.h):
                    own = slice(h * self.d, (h + 1) * self.d)
                    scores = torch.stack([torch.dot(q[n, l, own], key) for key in k[n, :, own]])
                    weights = (scores / math.sqrt(self.d)).softmax(0)
                    rows.append(sum(w * value for w, value in zip(weights, v[n, :, own])))
        return self.W_o(torch.cat(rows).view(Q.shape))
"""
HELD = (
    ("        self.W_q = ", "        self.held = SimpleNamespace()\n        self.held.W_q = "),
    ("self.W_k = ", "self.held.W_k = "),
    ("self.W_v = ", "self.held.W_v = "),
    ("self.W_o = ", "self.held.W_o = "),
    (
        "    def forward(",
        "    W_q, W_k, W_v, W_o = (property(attrgetter('held.W_' + x)) for x in 'qkvo')\n\n    def forward(",
    ),
)


def case(name: str, kata: str, source: str, notes: tuple[str, ...] = ()) -> Case:
    return Case(name, kata, "candidate.py", lambda: source, notes)


def in_parts(kata: str) -> tuple[str, str, str]:
    """The answer up to forward; forward and extra_repr as functions of their own."""
    first, rest = answer(kata).split("    def forward(")
    forward, extra = rest.split("    def extra_repr(")
    return first, dedent(f"    def forward({forward}"), dedent(f"    def extra_repr({extra}")


def put_in(statements: str) -> str:
    """A notebook in which the class gets its last two methods by statements of its last cell."""
    first, forward, extra = in_parts("module")
    return fakes.notebook(first, forward, f"{extra}\n{statements}")


def nested(kata: str) -> str:
    """In a loop, a match and a while."""
    inside = indent(answer(kata), " " * 12)
    return f"for _ in range(1):\n    match _:\n        case 0:\n{inside}\n    while False:\n        pass\n"


BINDINGS = [
    case("a frozen dataclass with slots makes the constructor", "plain_class", MADE),
    Case(
        "methods assigned to the class in later cells",
        "module",
        "candidate.ipynb",
        lambda: put_in("MultiHeadAttention.forward = forward\nMultiHeadAttention.extra_repr = extra_repr"),
    ),
    case(
        "a class of another name, the kata's an alias",
        "module",
        edited("module", ("class MultiHeadAttention(", "class MHA("))
        + "\n\nMultiHeadAttention = Attention = MHA\n__all__ = ['MHA']\n",
    ),
    case("defined in a loop and a match", "functional", nested("functional")),
    script(
        "a command line that is required, at the top",
        "plain_class",
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('heads', type=int)\n"
        "args = parser.parse_args()",
        notes=("candidate.py raised SystemExit: 2",),
    ),
    script(
        "ends where there is no GPU",
        "scaled_dot_product",
        "import sys, torch\nif not torch.accelerator.is_available() or True:\n    sys.exit('this needs a GPU')",
        notes=("candidate.py raised SystemExit: this needs a GPU",),
    ),
    Case(
        "helpers and imports under the guard for __main__",
        "scaled_dot_product",
        "candidate.ipynb",
        lambda: fakes.notebook(
            "if __name__ == '__main__':\n    from math import sqrt\n    def root(x): return sqrt(x)\n    exit()",
            edited("scaled_dot_product", ("math.sqrt(", "root(")),
        ),
    ),
    case(
        "layers kept in a SimpleNamespace",
        "plain_class",
        "from operator import attrgetter\nfrom types import SimpleNamespace\n" + edited("plain_class", *HELD),
    ),
    case("loops over batch, queries, heads and keys", "plain_class", LOOPS),
    case(
        "hints of a library that is absent",
        "module",
        "from jaxtyping_absent import Float, jaxtyped as _\nimport jaxtyping_absent as jt\n"
        "seen: Float = 1\n\ndef shown(x: jt.Int[int, '']) -> int: return x\n\n"
        + edited("module", ("query: Tensor,", 'query: Float[Tensor, "batch len emb"],')),
        ("candidate.py raised ModuleNotFoundError: No module named 'jaxtyping_absent'; it is not installed here",),
    ),
    case(
        "decorators of libraries that are absent",
        "scaffold",
        "from beartype_absent import beartype as typechecker\nfrom jaxtyping_absent import Float, jaxtyped\n"
        + edited(
            "scaffold",
            ("class MultiHeadAttention", "@typechecker\nclass MultiHeadAttention"),
            ("    def forward(", "    @jaxtyped(typechecker=typechecker)\n    def forward("),
            ("x: Tensor,\n", 'x: Float[Tensor, "batch len emb"],\n'),
        ),
        ("candidate.py raised ModuleNotFoundError: No module named 'beartype_absent'; it is not installed here",),
    ),
    book("help, asked by name", "scaffold", ("import torch\nhelp(torch.softmax)",), ("help(MultiHeadAttention)",)),
]
