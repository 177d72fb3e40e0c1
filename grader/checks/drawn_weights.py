"""Weights that a submission draws itself: what PyTorch draws, and which were seen in use."""

import torch
from torch import Tensor, nn

from grader.checks.case import Case, Projections, Size

Products = tuple[tuple[Tensor, Tensor], ...]
"""The factors of the matrix products of a call, in order."""


def as_pytorch_draws(seed: int, size: Size, drawn: int = 0) -> Projections:
    """What nn.MultiheadAttention(E, H, bias=False) draws after `torch.manual_seed(seed)`, in the size's dtype.

    Args:
        seed: of the global generator.
        size: of the attention.
        drawn: numbers that the generator has given since then.
    """
    if size.embed_dim % size.num_heads != 0:
        empty = torch.zeros(size.embed_dim, size.embed_dim, dtype=size.dtype)
        return Projections(empty, empty, empty, empty)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.rand(drawn, dtype=torch.float64)
        layer = nn.MultiheadAttention(size.embed_dim, size.num_heads, bias=False, dtype=size.dtype)
    q, k, v = layer.in_proj_weight.detach().chunk(3)
    return Projections(q.clone(), k.clone(), v.clone(), layer.out_proj.weight.detach().clone())


def in_use(case: Case, output: Tensor, products: Products) -> Projections | None:
    """The weights, each (E, E), that queries, keys, values and the merged heads were multiplied by.

    None: they are not four, or one is used for another, which is wrong and no free choice.
    """
    last = [left for left, right in products if left.dim() == 2 == right.dim() and _same(left @ right, _flat(output))]
    merged = last[-1] if last else torch.zeros(0, case.query.shape[-1])
    found = [_projection(x, products) for x in (case.query, case.keys, case.values, merged)]
    weights = [weight for weight in found if weight is not None]
    pairs = [(a, b) for a in range(4) for b in range(a)]
    if len(weights) < 4 or any(_same(weights[a], weights[b]) for a, b in pairs):
        return None
    return Projections(*weights)


def _projection(x: Tensor, products: Products) -> Tensor | None:
    """The weight (E, E) that x (N, T, E) was multiplied by, whole or head by head; None: there is none."""
    rows = _flat(x)
    parts = []
    for left, right in products:
        if _same(_flat(left), rows):
            parts.append(right[0] if right.dim() == 3 else right)
        elif right.dim() == 2 and _same(right.T, rows):
            parts.append(left.T)
    if not parts:
        return None
    weight = torch.cat(parts, dim=1).T
    return weight if weight.shape == (x.shape[-1], x.shape[-1]) else None


def _flat(x: Tensor) -> Tensor:
    """(N, T, E) as (N T, E)."""
    return x.reshape(-1, x.shape[-1])


def _same(one: Tensor, other: Tensor) -> bool:
    """Equal shape and, but for rounding, equal values, whatever the dtypes: a submission may compute in float64."""
    return one.shape == other.shape and torch.allclose(one.double(), other.double())
