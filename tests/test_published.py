"""Our solutions beside the tests that the katas' sources published, and beside PyTorch, in our own words."""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

SOLUTIONS = Path(__file__).resolve().parents[1] / "solutions"


def load(name: str) -> ModuleType:
    """A solution as a module of its own; the grader never does this."""
    spec = importlib.util.spec_from_file_location(f"solution_{name}", SOLUTIONS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


SDP = load("scaled_dot_product").scaled_dot_product_attention
PLAIN = load("plain_class").MultiHeadAttention
FUNCTIONAL = load("functional").multi_head_attention
SCAFFOLD = load("scaffold")
MODULE = load("module").MultiHeadAttention
FUSED = load("fused_qkv").EfficientMultiHeadAttention


def scaffold(embed_dim: int, num_heads: int, **options: Any) -> nn.Module:
    layer: nn.Module = SCAFFOLD.MultiHeadAttention(SCAFFOLD.AttentionConfig(embed_dim, num_heads, **options))
    return layer


def pytorch(embed_dim: int, num_heads: int, projections: list[nn.Linear], out: nn.Linear) -> nn.MultiheadAttention:
    """nn.MultiheadAttention with given weights, in their dtype."""
    theirs = nn.MultiheadAttention(embed_dim, num_heads, bias=out.bias is not None, batch_first=True)
    theirs.to(out.weight.dtype)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in projections]))
        theirs.out_proj.load_state_dict(out.state_dict())
        if out.bias is not None:
            theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in projections]))
    return theirs


def pytorch_like(layer: Any, embed_dim: int, num_heads: int) -> nn.MultiheadAttention:
    """nn.MultiheadAttention with the weights of a solution's class, whatever it calls them."""
    for names in ("W_q W_k W_v W_o", "W_Q W_K W_V W_O", "q_proj k_proj v_proj out_proj", "qkv_proj out_proj"):
        if hasattr(layer, names.split()[0]):
            *projections, out = (getattr(layer, name) for name in names.split())
            return pytorch(embed_dim, num_heads, projections, out)
    raise AssertionError("no projections found")


def randomised(layer: Any, dtype: torch.dtype = torch.float64) -> Any:
    """Random weights and biases, large enough that a mistake shows."""
    parts = [layer] if isinstance(layer, nn.Module) else [v for v in vars(layer).values() if isinstance(v, nn.Module)]
    for part in parts:
        part.to(dtype)
        for parameter in part.parameters():
            nn.init.normal_(parameter, std=0.5)
    return layer


def same(expected: Tensor, actual: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-8)


def synthetic() -> tuple[Tensor, Tensor, Tensor]:
    """The classic data: batch 3, four tokens of size 8, in float64."""
    return tuple(torch.rand(3, 4, 8).double() for _ in range(3))  # type: ignore[return-value]  # three of them


PADDING = torch.arange(4) < torch.tensor([[3], [4], [2]])  # (N, S), True = a real token


# The tests that the katas' sources published, in our own words: shapes, masks, gradients, parameters


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(42)


# Shapes and weight sums


def test_module_self_attention_over_20_tokens_of_size_512() -> None:
    x = torch.rand(2, 20, 512)
    output, weights = MODULE(512, 8)(x, x, x)
    assert (2, 20, 512) == output.shape
    assert (2, 8, 20, 20) == weights.shape
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 8, 20))


def test_module_cross_attention_of_8_tokens_to_12() -> None:
    query, memory = torch.rand(2, 8, 512), torch.rand(2, 12, 512)
    output, weights = MODULE(512, 8)(query, memory, memory)
    assert (2, 8, 512) == output.shape
    assert (2, 8, 8, 12) == weights.shape
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 8, 8))


def test_module_returns_no_weights_when_none_are_wanted() -> None:
    x = torch.rand(2, 5, 8)
    assert MODULE(8, 2)(x, x, x, return_attention=False)[1] is None


def test_scaffold_cross_attention_of_3_tokens_to_7() -> None:
    y, weights = scaffold(32, 4)(torch.rand(2, 3, 32), torch.rand(2, 7, 32), need_weights=True)
    assert (2, 3, 32) == y.shape
    assert (2, 3, 7) == weights.shape
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3))


def test_plain_class_cross_attention_of_3_tokens_to_7() -> None:
    memory = torch.rand(2, 7, 32)
    assert (2, 3, 32) == PLAIN(d_model=32, num_heads=4).forward(torch.rand(2, 3, 32), memory, memory).shape


def test_functional_cross_attention_of_3_tokens_to_7() -> None:
    memory = torch.rand(2, 7, 32)
    assert (2, 3, 32) == FUNCTIONAL(torch.rand(2, 3, 32), memory, memory, num_heads=4, d_model=32).shape


def test_fused_self_attention_over_20_tokens_of_size_512() -> None:
    out, weights = FUSED(512, 8)(torch.rand(2, 20, 512))
    assert (2, 20, 512) == out.shape
    assert (2, 8, 20, 20) == weights.shape
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 8, 20))


@pytest.mark.parametrize("make", [PLAIN, MODULE, FUSED, scaffold], ids=["plain", "module", "fused", "scaffold"])
def test_heads_that_do_not_divide_the_embedding(make: Any) -> None:
    with pytest.raises(ValueError, match=r"_\w+ \(10\) must be divisible by num_heads \(3\)"):
        make(10, 3)


def test_heads_that_do_not_divide_the_embedding_of_the_function() -> None:
    x = torch.rand(1, 2, 10)
    with pytest.raises(ValueError, match=r"d_model \(10\) must be divisible by num_heads \(3\)"):
        FUNCTIONAL(x, x, x, num_heads=3, d_model=10)


# Masks


def test_a_causal_mask_leaves_a_lower_triangle_entry_by_entry() -> None:
    x = torch.rand(2, 10, 16)
    _, weights = MODULE(16, 2)(x, x, x, mask=torch.ones(1, 1, 10, 10).tril())
    for query in range(10):
        for key in range(10):
            assert (key <= query) == bool((weights[:, :, query, key] > 0).all())
            assert (key > query) == bool((weights[:, :, query, key] == 0).all())


@pytest.mark.parametrize("T", [4, 6])
def test_the_causal_mask_that_is_given_starts_in_the_upper_left_corner(T: int) -> None:
    expected = [[key <= query for key in range(5)] for query in range(T)]
    assert expected == SCAFFOLD.causal_mask(T, 5).tolist()
    assert torch.bool == SCAFFOLD.causal_mask(T).dtype


def test_scaffold_with_the_last_two_of_five_keys_padded() -> None:
    layer = randomised(scaffold(8, 2))
    x, kv = torch.rand(2, 4, 8).double(), torch.rand(2, 5, 8).double()
    keep = torch.tensor([[True, True, True, False, False]]).expand(2, 5)
    y, weights = layer(x, kv, key_padding_mask=keep, need_weights=True)
    assert 0 == weights[..., 3:].abs().max()
    same(torch.ones(2, 4).double(), weights[..., :3].sum(-1))
    same(layer(x, kv[:, :3])[0], y)
    same(pytorch_like(layer, 8, 2)(x, kv, kv, key_padding_mask=~keep)[0], y)


# Gradients, parameters, initialisation


@pytest.mark.parametrize("make", [PLAIN, MODULE, FUSED, scaffold], ids=["plain", "module", "fused", "scaffold"])
def test_gradients_reach_every_input_and_parameter(make: Any) -> None:
    """All but the key bias's are not zero: that one adds the same to all scores of a row, which changes nothing."""
    layer = randomised(make(8, 2))
    inputs = [torch.randn(3, 4, 8, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    used = inputs[: {PLAIN: 3, MODULE: 3, FUSED: 1}.get(make, 2)]
    result = layer.forward(*used)
    output = result if isinstance(result, Tensor) else result[0]
    (output * torch.randn_like(output)).sum().backward()
    parts = {"": layer} if isinstance(layer, nn.Module) else vars(layer)
    parameters = {
        f"{name}.{path}": parameter
        for name, part in parts.items()
        if isinstance(part, nn.Module)
        for path, parameter in part.named_parameters()
    }
    key_biases = (".W_K.bias", "W_k.bias", ".k_proj.bias", ".qkv_proj.bias")
    for tensor in used:
        assert tensor.grad is not None
        assert tensor.grad.abs().min() > 0
    for name, parameter in parameters.items():
        assert parameter.grad is not None, name
        if name in key_biases:
            key_part = parameter.grad.chunk(3)[1] if "qkv" in name else parameter.grad
            assert key_part.abs().max() < 1e-12
        else:
            assert parameter.grad.abs().max() > 1e-3, name


ROW_MASKED = torch.ones(4, 4, dtype=torch.bool).tril().index_fill(0, torch.tensor(2), False)  # True = attend


@pytest.mark.parametrize(
    "call",
    [
        lambda x: SDP(x, x, x, ~ROW_MASKED),
        lambda x: (FUNCTIONAL(x, x, x, num_heads=2, d_model=8, mask=~ROW_MASKED),),
        lambda x: scaffold(8, 2)(x, attn_mask=ROW_MASKED, need_weights=True),
        lambda x: scaffold(8, 2)(x, attn_mask=ROW_MASKED.float().log(), key_padding_mask=PADDING, need_weights=True),
        lambda x: MODULE(8, 2)(x, x, x, ROW_MASKED[None, None]),
        lambda x: FUSED(8, 2)(x, ROW_MASKED.int()),
    ],
    ids=["scaled_dot_product", "functional", "scaffold", "scaffold -inf", "module", "fused"],
)
def test_a_query_that_may_see_nothing_stays_finite_forward_and_backward(call: Any) -> None:
    x = torch.rand(3, 4, 8, requires_grad=True)
    results = call(x)
    sum((result * torch.rand_like(result)).sum() for result in results).backward()
    assert all(bool(result.isfinite().all()) for result in results)
    assert x.grad is not None
    assert bool(x.grad.isfinite().all())
    if len(results) > 1:
        assert 0 == results[1][..., 2, :].abs().max()


@pytest.mark.parametrize(("bias", "expected"), [(True, 4 * 512**2 + 4 * 512), (False, 4 * 512**2)])
def test_parameter_count(bias: bool, expected: int) -> None:
    for layer in (MODULE(512, 8, bias=bias), scaffold(512, 8, bias=bias)):
        assert expected == sum(parameter.numel() for parameter in layer.parameters())


def test_fused_parameter_count() -> None:
    assert 4 * 512**2 + 4 * 512 == sum(parameter.numel() for parameter in FUSED(512, 8).parameters())


def test_module_starts_with_xavier_uniform_weights_and_zero_biases() -> None:
    bound = math.sqrt(6 / (64 + 64))
    for name, parameter in MODULE(64, 4).named_parameters():
        if name.endswith("bias"):
            assert 0 == parameter.abs().max()
        else:
            assert 0.95 * bound < parameter.abs().max() <= bound


def test_module_says_what_it_was_made_with() -> None:
    assert "d_model=8, num_heads=2, dropout=0.1, bias=False" == MODULE(8, 2, 0.1, bias=False).extra_repr()


@pytest.mark.slow
def test_dropout_acts_in_training_only_and_scales() -> None:
    """Every key has the same value, so weights that sum to w give w times the value."""
    layer = scaffold(8, 2, dropout_p=0.5)
    x, kv = torch.rand(2, 4, 8), torch.rand(1, 1, 8).expand(2, 6, 8)
    assert torch.equal(layer.eval()(x, kv)[0], layer(x, kv)[0])
    dropped = torch.stack([layer.train()(x, kv)[0] for _ in range(2000)])
    assert dropped.std(0).min() > 0
    torch.testing.assert_close(dropped.mean(0), layer.eval()(x, kv)[0], rtol=0.0, atol=0.02)


# The published comparisons with PyTorch on the classic data, (3, 4, 8), seed 42


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
