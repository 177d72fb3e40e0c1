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
SCRIPT_METHODS = """import math
from typing import Optional, Tuple
import torch
from torch import nn, Tensor

class EfficientMultiHeadAttention(torch.jit.ScriptModule):
    __constants__ = ["h", "d", "p"]
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.h, self.d, self.p = num_heads, d_model // num_heads, dropout
        self.qkv_proj, self.out_proj = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    @torch.jit.script_method
    def split(self, x: Tensor) -> Tensor:
        return x.view(x.size(0), x.size(1), self.h, self.d).transpose(1, 2)

    @torch.jit.script_method
    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        q, k, v = self.qkv_proj(x).chunk(3, dim=-1)
        s = torch.matmul(self.split(q), self.split(k).transpose(2, 3)) / math.sqrt(self.d)
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        w = torch.dropout(torch.softmax(s, dim=-1), self.p, self.training)
        return self.out_proj(torch.matmul(w, self.split(v)).transpose(1, 2).reshape(x.shape)), w
"""
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
METACLASS = """from __future__ import annotations
import abc, enum, functools
from typing import Callable, ParamSpec, Protocol, Self, TypeVar, get_type_hints, runtime_checkable
import torch
from torch import nn, Tensor
P = ParamSpec("P"); R = TypeVar("R")

def checked(f: Callable[P, R]) -> Callable[P, R]:
    hints = get_type_hints(f)
    @functools.wraps(f)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        assert all(isinstance(a, hints[name]) for name, a in zip(list(hints), args[1:]))
        return f(*args, **kwargs)
    return inner

@runtime_checkable
class Projects(Protocol):
    def __call__(self, x: Tensor) -> Tensor: ...

class Which(enum.StrEnum):
    Q = "W_q"; K = "W_k"; V = "W_v"; O = "W_o"
    def __call__(self, owner): return getattr(owner, self.value)

class Layer:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        return obj.__dict__.setdefault(self.name, obj.__dict__.get(self.name) or nn.Linear(obj.E, obj.E))

class Meta(abc.ABCMeta):
    def __new__(mcs, name, bases, names, **given): return super().__new__(mcs, name, bases, names)
    @classmethod
    def __prepare__(mcs, name, bases, **given): return {"extra": 1}
    def __bool__(cls): return False
    def __len__(cls): return 0

class MultiHeadAttention(metaclass=Meta, key=3):
    W_q = Layer(); W_k = Layer(); W_v = Layer(); W_o = Layer()
    def __new__(cls, *args, **kwargs) -> Self: return super().__new__(cls)
    @checked
    def __init__(self, d_model: int, num_heads: int) -> None:
        match divmod(d_model, num_heads):
            case (d, 0): self.D = d
            case (_, rest): raise ValueError(f"rest {rest}")
        self.E, self.H = d_model, num_heads
        for which in Which: assert isinstance(which(self), Projects)
    @checked
    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        q, k, v = (w(self)(t).unflatten(2, (self.H, self.D)) for w, t in zip(Which, (Q, K, V)))
        a = torch.einsum("nlhd,nshd->nhls", q, k).mul(self.D ** -0.5).softmax(dim=3)
        return Which.O(self)(torch.einsum("nhls,nshd->nlhd", a, v).flatten(start_dim=2))
    def __bool__(self): return False
    __hash__ = None
"""
GENERATOR = """import math, torch, typing
Pair = typing.NamedTuple("Pair", [("out", torch.Tensor), ("weights", torch.Tensor)])

def steps(q, k, v, mask):
    s = yield torch.einsum("...ld,...sd->...ls", q, k)
    match mask:
        case None: hidden = torch.zeros_like(s, dtype=torch.bool)
        case torch.Tensor(dtype=torch.bool): hidden = mask
        case torch.Tensor(): hidden = mask != 0
        case _: raise TypeError(mask)
    s = yield s.masked_fill(hidden, -torch.inf)
    w = yield torch.softmax(s, -1).nan_to_num().masked_fill(hidden, 0)
    yield torch.einsum("...ls,...sv->...lv", w, v)

def scaled_dot_product_attention(q, k, v, mask=None):
    run = steps(q, k, v, mask)
    s = run.send(next(run) / math.sqrt(q.shape[-1]))
    w = run.send(s)
    return Pair(run.send(w), w)
"""
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
    case("script methods of a ScriptModule", "fused_qkv", SCRIPT_METHODS),
    Case(
        "form feeds and line separators before what torch.jit.script reads",
        "functional",
        "candidate.py",
        lambda: (
            PAGES
            + edited("functional", ("queries @ keys.transpose(-2, -1) / math.sqrt(heads[1])", "weigh(queries, keys)"))
        ),
        (
            "candidate.py raised NameError: name 'checked_by_hand' is not defined"
            " (candidate.py:4 in <module>: checked_by_hand)",
        ),
    ),
    case("a metaclass, descriptors, an Enum and ParamSpec", "plain_class", METACLASS),
    case("a generator that is sent its steps", "scaled_dot_product", GENERATOR),
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
    case(
        "the version of an installed library decides",
        "module",
        "import importlib.metadata\nfrom packaging import version\n"
        "NEW = version.parse(importlib.metadata.version('torch')) >= version.parse('2.0')\n"
        + edited("module", ("        super().__init__()\n", "        super().__init__()\n        assert NEW\n")),
    ),
]
