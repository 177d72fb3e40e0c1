"""Where a class that is no nn.Module keeps its layers and tensors, and how else it may come to be."""

from tests.untidy.case import Case, edited

LAYERS = """        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
"""
NAMED = "".join(f"    W_{name} = property(lambda self: self.layers[{{}}])\n" for name in "qkvo")
MADE = "    W_{0} = functools.cached_property(lambda self: nn.Linear(self.d_model, self.d_model))\n"
METHODS = """import math, types
from dataclasses import make_dataclass
import torch
from torch import nn

def make(self, d_model, num_heads):
    if d_model % num_heads:
        raise ValueError("d_model % num_heads")
    self.num_heads = num_heads
    for name in "qkvo":
        setattr(self, f"W_{name}", nn.Linear(d_model, d_model))

def forward(self, Q, K, V):
    q, k, v = (W(x).unflatten(2, (self.num_heads, -1)) for W, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
    w = (torch.einsum("nlhd,nshd->nhls", q, k) / math.sqrt(q.size(3))).softmax(3)
    return self.W_o(torch.einsum("nhls,nshd->nlhd", w, v).flatten(2))

"""
FIELDS = '[("d_model", int), ("num_heads", int)]'
POSTPONED = '{"forward": forward, "__post_init__": lambda self: make(self, self.d_model, self.num_heads)}'


def case(name: str, *changes: tuple[str, str]) -> Case:
    return Case(name, "plain_class", "candidate.py", lambda: edited("plain_class", *changes))


def held(how: str, *places: str) -> tuple[str, str]:
    """The layers in a container of all four, and a property for each name."""
    return LAYERS, f"        layers = [nn.Linear(d_model, d_model) for _ in range(4)]\n{how}\n\n{NAMED.format(*places)}"


HOLDERS = [
    case(
        "layers kept in a dict of the library's, by other names",
        held("        self.layers = collections.UserDict(zip('qkvo', layers))", *map(repr, "qkvo")),
        ("import math", "import collections, math"),
    ),
    Case(
        "a dataclass made by a call",
        "plain_class",
        "candidate.py",
        lambda: (
            METHODS + f"MultiHeadAttention = make_dataclass('MultiHeadAttention', {FIELDS}, namespace={POSTPONED})\n"
        ),
        is_identified=False,
    ),
]
