"""A subclass of AssertionError; orders as tensors; half of the batch under a mask; the norm is compared."""

import torch
from torch import nn


class NotEquivariant(AssertionError):
    pass


def replaced(module: nn.Module, index: torch.Tensor):
    inner = {f"{n}.{kind}" for n in ("W_Q", "W_K", "W_V") for kind in ("weight", "bias")}
    named = dict(module.named_parameters())
    picked = {name: torch.index_select(named[name], 0, index) for name in inner}
    return named | picked | {"W_O.weight": torch.index_select(named["W_O.weight"], 1, index)}


def check_head_permutation(attention: nn.Module) -> None:
    H = attention.num_heads
    D = attention.W_Q.out_features // H
    if H == 1:
        return
    x = torch.randn(4, 5, H * D)
    mask = torch.ones(4, 1, 1, 5)
    mask[2:, ..., -2:] = 0
    base = attention(x, x, x, mask)[0]
    for step in range(H - 1):
        order = torch.arange(H)
        order[step], order[step + 1] = step + 1, step
        index = (order.unsqueeze(1) * D + torch.arange(D)).flatten()
        other = torch.func.functional_call(attention, replaced(attention, index), (x, x, x, mask))[0]
        if torch.linalg.vector_norm(other - base, ord=torch.inf) > 1e-3 * torch.linalg.vector_norm(base, ord=torch.inf):
            raise NotEquivariant(step)
