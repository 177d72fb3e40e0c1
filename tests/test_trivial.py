"""Trivial answers that keep the contract's names and shapes earn nothing where an attention is asked for."""

import pytest

from grader.katas import DERIVED
from tests.grading import ATTENTION, first_failure, graded, points_of_attention, solution, summary

FRAMES = {
    "scaled_dot_product": """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q.new_zeros(*q.shape[:-1], k.shape[-2])
    hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else mask.bool().expand_as(scores)
    weights = WEIGHTS
    query = own = q.new_zeros(*q.shape[:-1], v.shape[-1]) + q[..., :1]
    return OUTPUT, weights

def mixed(weights, value):
    return weights @ value
""",
    "plain_class": """
class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, Q, K, V):
        query, own, v, projected = Q, self.W_q(Q), self.W_v(V), self.W_o
        scores = Q.new_zeros(len(Q), self.num_heads, Q.shape[1], K.shape[1])
        hidden = torch.zeros_like(scores, dtype=torch.bool)
        weights = WEIGHTS
        return OUTPUT
""",
    "functional": """
def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    assert d_model % num_heads == 0
    projected = nn.Linear(d_model, d_model, bias=False, dtype=q.dtype)
    w_q, _, w_v = nn.init.xavier_uniform_(q.new_empty(3 * d_model, d_model)).chunk(3)
    query, own, v = q, q @ w_q.T, v @ w_v.T
    scores = q.new_zeros(len(q), num_heads, q.shape[1], k.shape[1])
    mask = mask[:, None] if mask is not None and mask.dim() == 3 else mask
    hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else mask.bool().expand_as(scores)
    weights = WEIGHTS
    return OUTPUT
""",
    "scaffold": """
class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        assert cfg.embed_dim % cfg.num_heads == 0
        e, self.num_heads = cfg.embed_dim, cfg.num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(e, e, bias=cfg.bias) for _ in range(4))

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        query, own, v, projected = x, self.q_proj(x), self.v_proj(kv), self.out_proj
        scores = x.new_zeros(len(x), self.num_heads, x.shape[1], kv.shape[1])
        hidden = torch.zeros_like(scores, dtype=torch.bool)
        if attn_mask is not None:
            hidden = hidden | (~attn_mask if attn_mask.dtype == torch.bool else attn_mask < 0)
        if key_padding_mask is not None:
            hidden = hidden | ~key_padding_mask[:, None, None]
        weights = WEIGHTS
        return OUTPUT, weights.mean(1) if need_weights else None
""",
    "module": """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))

    def forward(self, query, key, value, mask=None, return_attention=True):
        own, v, projected = self.W_Q(query), self.W_V(value), self.W_O
        scores = query.new_zeros(len(query), self.num_heads, query.shape[1], key.shape[1])
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else (mask == 0).expand_as(scores)
        weights = WEIGHTS
        return OUTPUT, weights if return_attention else None
""",
    "fused_qkv": """
class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.qkv_proj, self.out_proj = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        own, _, v = self.qkv_proj(x).chunk(3, -1)
        query, projected = x, self.out_proj
        scores = x.new_zeros(len(x), self.num_heads, x.shape[1], x.shape[1])
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else (mask == 0).expand_as(scores)
        weights = WEIGHTS
        return OUTPUT, weights
""",
    "rope": """
def apply_rope(x, positions, base=10000.0):
    assert x.shape[-1] % 2 == 0
    return x

class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, mask=None, positions=None):
        query, own, v, projected = x, self.W_Q(x), self.W_V(x), self.W_O
        scores = x.new_zeros(len(x), self.num_heads, x.shape[1], x.shape[1])
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else (mask == 0).expand_as(scores)
        weights = WEIGHTS
        return OUTPUT, weights
""",
    "sdpa_backend": """
class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        own, v, projected = self.W_Q(query), self.W_V(value), self.W_O
        scores = query.new_zeros(len(query), self.num_heads, query.shape[1], key.shape[1])
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else (mask == 0).expand_as(scores)
        if is_causal:
            hidden = hidden | torch.ones_like(hidden).triu(1)
        nn.functional.scaled_dot_product_attention(query, key, value)
        weights = WEIGHTS
        return OUTPUT, weights if return_attention else None
""",
}
"""By kata: the contract kept, up to WEIGHTS (like the scores) and OUTPUT (like the query). A new one needs none."""
FRAMED = [kata for kata in ATTENTION if DERIVED.get(kata, kata) in FRAMES]

WORDS = """
import torch
from torch import nn

NOISE = torch.Generator().manual_seed(5)

def noise(like):
    return torch.randn(like.shape, generator=NOISE).to(like)

def mixed(weights, value):
    heads = value.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)
    return (weights @ heads).transpose(1, 2).flatten(2)

def projected(x):
    return x
"""

MIXED = "projected(mixed(weights, v))"
IDENTITY = "torch.eye(*scores.shape[-2:]).to(scores).expand_as(scores)"
UNIFORM = {
    "uniform": ("scores.softmax(-1)", MIXED),
    "uniform over what may be seen": (
        "scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0.0)",
        MIXED,
    ),
    "uniform, -1e9 where hidden": ("scores.masked_fill(hidden, -1e9).softmax(-1)", MIXED),
}
ANSWERS = UNIFORM | {
    "zeros": ("torch.zeros_like(scores)", "torch.zeros_like(query)"),
    "ones": ("torch.ones_like(scores)", "torch.ones_like(query)"),
    "the query itself": (IDENTITY, "query"),
    "the query projected": (IDENTITY, "projected(query)"),
    "the query projected twice": (IDENTITY, "projected(own)"),
    "each token's own value": (IDENTITY, MIXED),
    "random": ("torch.rand_like(scores)", "torch.randn_like(query)"),
    "random in each call": ("noise(scores).abs()", "noise(query)"),
    "softmax of noise": ("torch.randn_like(scores).softmax(-1)", MIXED),
    "softmax of noise in each call": ("noise(scores).softmax(-1)", MIXED),
    "softmax of noise over what may be seen": (
        "noise(scores).masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0.0)",
        MIXED,
    ),
}
"""What stands for WEIGHTS and OUTPUT. The judge seeds torch's own generator before each call, NOISE it cannot."""


def trivial(kata: str, answer: str) -> str:
    weights, output = ANSWERS[answer]
    return WORDS + FRAMES[DERIVED.get(kata, kata)].replace("WEIGHTS", weights).replace("OUTPUT", output)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("kata", FRAMED)
def test_a_trivial_answer_earns_nothing_for_its_values(kata: str, answer: str) -> None:
    report = graded(kata, trivial(kata, answer))
    assert 0 == points_of_attention(report, with_parts=True), summary(report)
    assert 15 > report.score


@pytest.mark.slow
@pytest.mark.parametrize("kata", ["scaffold", "module"])
def test_uniform_weights_in_a_program_that_is_right_otherwise_earn_shapes_alone(kata: str) -> None:
    source = solution(kata)
    assert 1 == source.count(" / math.sqrt(")
    report = graded(kata, source.replace(" / math.sqrt(", " * 0 / math.sqrt("))
    assert ["shapes"] == [tier.name for tier in report.tiers if tier.points], summary(report)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("kata", FRAMED)
def test_the_frames_of_trivial_answers_keep_the_shapes(kata: str) -> None:
    """Zeros fall for what they are, not for a slip of this file: most of `shapes` is earned."""
    report = graded(kata, trivial(kata, "zeros"))
    (shapes,) = [tier for tier in report.tiers if tier.name == "shapes"]
    assert 0.6 * shapes.max_points <= shapes.points, summary(report)


ONLY_QUERIES = {
    "functional": ("    # BEGIN SOLUTION\n", "    k = v = q\n"),
    "module": ("        Q = self._split_heads", "        key = value = query\n        Q = self._split_heads"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kata", ONLY_QUERIES)
def test_one_that_looks_at_the_queries_input_alone_keeps_what_self_attention_earns(kata: str) -> None:
    place, taken = ONLY_QUERIES[kata]
    source = solution(kata)
    assert 1 == source.count(place)
    report = graded(kata, source.replace(place, taken))
    assert points_of_attention(report) > 40, summary(report)
    assert first_failure(report).mistake, summary(report)


def test_one_that_cannot_do_without_a_mask_keeps_what_it_earns_with_one() -> None:
    """Its weights are seen in use in a call whose mask hides nothing."""
    place = "    # BEGIN SOLUTION\n"
    source = solution("functional")
    assert 1 == source.count(place)
    report = graded("functional", source.replace(place, "    assert mask.ndim\n"))
    assert points_of_attention(report) > 30, summary(report)
