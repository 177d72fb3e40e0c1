"""Cases are functions in a table; scores are shifted by two features; an error is counted in eps and returned."""

import torch
from torch import Tensor


def ordinary(g):
    return torch.randn(2, 4, 10, 16, generator=g), torch.randn(2, 4, 11, 16, generator=g), 11


def outliers(g):
    q, k, keys = ordinary(g)
    q[:, :, ::2, :2] = 250
    q[:, :, 1::2, :2] = -250
    k[..., :2] = 180
    k[:, :, 0, :2] = 360
    return q, k, keys


def many(g):
    return torch.randn(1, 1, 3, 16, generator=g), torch.randn(1, 1, 8192, 16, generator=g), 8192


CASES = {"ordinary": ordinary, "outliers": outliers, "many": many}


def in_eps(attention, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> float:
    try:
        output, weights = attention(q, k, v, mask)
    except Exception:
        return float("inf")
    scores = (q.double() @ k.double().transpose(-1, -2)).div(q.shape[-1] ** 0.5)
    expected = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).matmul(v.double())
    error = torch.nn.functional.l1_loss(output.double(), expected) / expected.abs().mean()
    sums = weights.sum(dim=-1, dtype=torch.float64).sub(1).abs().max()
    return max(error.nan_to_num(1e9).item(), sums.nan_to_num(1e9).item()) / torch.finfo(q.dtype).eps


def check_fp16_stability(attention):
    g = torch.Generator()
    g.manual_seed(5)
    for name, case in CASES.items():
        for dtype in torch.float16, torch.bfloat16:
            q, k, keys = case(g)
            v = torch.randn(*k.shape, generator=g).abs() if name == "many" else torch.randn(*k.shape, generator=g)
            mask = torch.ones(keys, dtype=torch.bool)
            mask[0] = False
            error = in_eps(attention, q.to(dtype), k.to(dtype), v.to(dtype), mask)
            if error > 6:
                raise AssertionError(f"{name} inputs in {dtype}: {error:.0f} eps")
