"""Whole programs in other hands' styles: of a book, of large libraries, of people who like their language."""

from tests.untidy.case import Case, edited
from tests.untidy.styles import case

BOOK = '''import math
import torch
from torch import nn
try:
    from d2l import torch as d2l
except ImportError:
    class d2l:
        class DotProductAttention(nn.Module):
            def __init__(self, dropout):
                super().__init__()
                self.dropout = nn.Dropout(dropout)
            def forward(self, queries, keys, values, valid_lens=None):
                scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
                self.attention_weights = nn.functional.softmax(scores, dim=-1)
                return torch.bmm(self.dropout(self.attention_weights), values)

class MultiHeadAttention(nn.Module):  #@save
    """Multi-head attention."""
    def __init__(self, d_model, num_heads, dropout=0, bias=True, **kwargs):
        super().__init__()
        if d_model % num_heads: raise ValueError
        self.num_heads = num_heads
        self.attention = d2l.DotProductAttention(dropout)
        self.W_q = nn.LazyLinear(d_model, bias=bias)
        self.W_k = nn.LazyLinear(d_model, bias=bias)
        self.W_v = nn.LazyLinear(d_model, bias=bias)
        self.W_o = nn.LazyLinear(d_model, bias=bias)
    def forward(self, Q, K, V, valid_lens=None):
        queries = self.transpose_qkv(self.W_q(Q))
        keys = self.transpose_qkv(self.W_k(K))
        values = self.transpose_qkv(self.W_v(V))
        return self.W_o(self.transpose_output(self.attention(queries, keys, values, valid_lens)))

def add_to_class(Class):
    return lambda method: setattr(Class, method.__name__, method)

@add_to_class(MultiHeadAttention)  #@save
def transpose_qkv(self, X):
    X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
    return X.reshape(-1, X.shape[2], X.shape[3])

@add_to_class(MultiHeadAttention)  #@save
def transpose_output(self, X):
    X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2]).permute(0, 2, 1, 3)
    return X.reshape(X.shape[0], X.shape[1], -1)

d2l.check_shape(MultiHeadAttention(100, 5, 0.5)(*[torch.ones((2, 4, 100))] * 3), (2, 4, 100))
'''
PAGES = '''"""Page breaks between the parts."""
\x0c
# A separator: \u2028 and a next line: \x85.
checked_by_hand
import torch
@torch.jit.script
def weigh(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return torch.matmul(q, k.transpose(-1, -2)) / float(q.size(-1)) ** 0.5
\x0c
'''
OPERATOR = """@torch.library.custom_op("mine::soft", mutates_args=())
def soft(s: Tensor) -> Tensor:
    return torch.softmax(s, -1)
def backward(ctx, g):
    w, = ctx.saved_tensors
    return w * (g - (w * g).sum(-1, keepdim=True))
soft.register_autograd(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output))


"""

PROGRAMS = [
    Case(
        "the book's own code, with lazy layers",
        "plain_class",
        "candidate.py",
        lambda: BOOK,
        ("candidate.py raised AttributeError: type object 'd2l' has no attribute 'check_shape'",),
    ),
    case(
        "an operator of its own with its own gradient",
        "plain_class",
        edited(
            "plain_class",
            ("class MultiHeadAttention:", OPERATOR + "class MultiHeadAttention:"),
            ("torch.softmax(scores, dim=-1)", "soft(scores)"),
        ),
    ),
    case(
        "everything from numpy, then from torch.nn.functional and math",
        "scaffold",
        "from numpy import *\nfrom torch.nn.functional import *\nfrom math import *\n"
        + edited("scaffold", ("math.sqrt(self.head_dim)", "sqrt(array([self.head_dim]).item())")),
    ),
]
