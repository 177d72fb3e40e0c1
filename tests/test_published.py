"""The tests that the katas' sources published, in our own words: shapes, masks, gradients, parameters."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

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
)


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


BLIND = torch.ones(4, 4, dtype=torch.bool).tril().index_fill(0, torch.tensor(2), False)  # True = attend


@pytest.mark.parametrize(
    "call",
    [
        lambda x: SDP(x, x, x, ~BLIND),
        lambda x: (FUNCTIONAL(x, x, x, num_heads=2, d_model=8, mask=~BLIND),),
        lambda x: scaffold(8, 2)(x, attn_mask=BLIND, need_weights=True),
        lambda x: scaffold(8, 2)(x, attn_mask=BLIND.float().log(), key_padding_mask=PADDING, need_weights=True),
        lambda x: MODULE(8, 2)(x, x, x, BLIND[None, None]),
        lambda x: FUSED(8, 2)(x, BLIND.int()),
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


def test_dropout_acts_in_training_only_and_scales() -> None:
    """Every key has the same value, so weights that sum to w give w times the value."""
    layer = scaffold(8, 2, dropout_p=0.5)
    x, kv = torch.rand(2, 4, 8), torch.rand(1, 1, 8).expand(2, 6, 8)
    assert torch.equal(layer.eval()(x, kv)[0], layer(x, kv)[0])
    dropped = torch.stack([layer.train()(x, kv)[0] for _ in range(2000)])
    assert dropped.std(0).min() > 0
    torch.testing.assert_close(dropped.mean(0), layer.eval()(x, kv)[0], rtol=0.0, atol=0.02)
