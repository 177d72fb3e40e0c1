"""The solutions as modules, and PyTorch's layer with their weights: for tests that look at our solutions."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

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
