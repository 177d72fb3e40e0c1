"""The published comparisons with PyTorch on the classic data, (3, 4, 8), seed 42, in our own words."""

import math

import pytest
import torch
from torch import nn

from tests.published import (
    FUNCTIONAL,
    FUSED,
    MODULE,
    PADDING,
    PLAIN,
    SCAFFOLD,
    SDP,
    pytorch_like,
    randomised,
    same,
    scaffold,
    synthetic,
)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(42)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_scaffold_equals_pytorch(bias: bool, causal: bool, padded: bool) -> None:
    query, key, _ = synthetic()
    layer = randomised(scaffold(8, 2, bias=bias))
    allow, keep = SCAFFOLD.causal_mask(4) if causal else None, PADDING if padded else None
    expected = pytorch_like(layer, 8, 2)(
        query, key, key, attn_mask=~allow if causal else None, key_padding_mask=~PADDING if padded else None
    )
    y, weights = layer(query, key, attn_mask=allow, key_padding_mask=keep, need_weights=True)
    same(expected[0], y)
    same(expected[1], weights)
    if causal:
        additive = torch.zeros(4, 4).masked_fill(~allow, -math.inf)
        same(y, layer(query, key, attn_mask=additive, key_padding_mask=keep)[0])


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal", "padding", "both"])
@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float64])
def test_module_equals_pytorch(bias: bool, mask: str, dtype: torch.dtype) -> None:
    query, key, value = synthetic()
    layer = randomised(MODULE(8, 2, bias=bias))
    attend = torch.ones(1, 1, 4, 4, dtype=torch.bool)
    if mask in ("causal", "both"):
        attend = attend.tril()
    if mask in ("padding", "both"):
        attend = attend & PADDING[:, None, None, :]
    hidden = ~attend.expand(3, 2, 4, 4).reshape(6, 4, 4)
    expected = pytorch_like(layer, 8, 2)(query, key, value, attn_mask=hidden, average_attn_weights=False)
    output, weights = layer(query, key, value, None if mask == "none" else attend.to(dtype))
    same(expected[0], output)
    same(expected[1], weights)


@pytest.mark.parametrize("causal", [False, True])
def test_fused_equals_pytorch(causal: bool) -> None:
    x, _, _ = synthetic()
    layer = randomised(FUSED(8, 2))
    attend = torch.ones(4, 4).tril() if causal else torch.ones(4, 4)
    expected = pytorch_like(layer, 8, 2)(x, x, x, attn_mask=attend == 0, average_attn_weights=False)
    out, weights = layer(x, attend)
    same(expected[0], out)
    same(expected[1], weights)


def test_plain_class_equals_pytorch() -> None:
    query, key, value = synthetic()
    layer = randomised(PLAIN(8, 2))
    same(pytorch_like(layer, 8, 2)(query, key, value)[0], layer.forward(query, key, value))


@pytest.mark.parametrize("mask", ["none", "causal", "padding"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_functional_draws_and_computes_what_pytorch_does(mask: str, dtype: torch.dtype) -> None:
    query, key, value = (tensor.to(dtype) for tensor in synthetic())
    hidden = torch.zeros(3, 4, 4, dtype=torch.bool)  # True = masked
    if mask == "causal":
        hidden = torch.ones(3, 4, 4, dtype=torch.bool).triu(1)
    if mask == "padding":
        hidden = (~PADDING)[:, None, :].expand(3, 4, 4)
    torch.manual_seed(42)
    theirs = nn.MultiheadAttention(8, 2, bias=False, batch_first=True)
    state = torch.get_rng_state()
    expected, _ = theirs.to(dtype)(query, key, value, attn_mask=hidden.repeat_interleave(2, dim=0))
    for given in (hidden, hidden.int(), hidden[:, None]):
        torch.manual_seed(42)
        actual = FUNCTIONAL(query, key, value, num_heads=2, d_model=8, mask=given)
        assert torch.equal(state, torch.get_rng_state())
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(5, 7), (2, 1, 7), (2, 5, 7)])
def test_scaled_dot_product_equals_pytorch(shape: tuple[int, ...]) -> None:
    q, k, v = (torch.randn(2, size, width).double() for size, width in ((5, 6), (7, 6), (7, 3)))
    hidden = torch.rand(shape) < 0.4
    hidden[..., 0] = False
    expected = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=~hidden)
    for given in (hidden, hidden.int(), hidden.double()):
        output, weights = SDP(q, k, v, given)
        same(expected, output)
        same(torch.ones(2, 5).double(), weights.sum(-1))
        assert 0 == weights.masked_select(hidden).abs().sum()
