"""A copy gets new layers, made by a matrix of zeros and ones; several draws of inputs."""

import copy

import torch
import torch.nn as nn


def permutation_matrix(order, head_dim):
    return torch.kron(torch.eye(len(order))[order], torch.eye(head_dim))


def layer_of(weight, bias):
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer


def permuted(attention, order):
    p = permutation_matrix(order, attention.d_model // attention.num_heads)
    new = copy.deepcopy(attention)
    for name in ("W_Q", "W_K", "W_V"):
        old = getattr(attention, name)
        setattr(new, name, layer_of(p @ old.weight, p @ old.bias))
    new.W_O = layer_of(attention.W_O.weight @ p.T, attention.W_O.bias)
    return new


@torch.no_grad()
def check_head_permutation(attention):
    n = attention.num_heads
    orders = [[*range(1, n), 0], list(range(n))[::-1]]
    orders += [[*range(i), i + 1, i, *range(i + 2, n)] for i in range(n - 1)]
    for seed in (0, 1):
        torch.manual_seed(seed)
        x = torch.randn(2, 4, attention.d_model)
        y, w = attention(x, x, x)
        for order in orders:
            out, w2 = permuted(attention, order)(x, x, x)
            assert torch.allclose(out, y, rtol=1e-3, atol=1e-3 * y.std().item())
            assert torch.allclose(w2, w[:, order], atol=1e-4)
