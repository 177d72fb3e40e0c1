"""A copy is written into, under every exchange of two heads."""

import copy
from itertools import combinations

import torch


def check_head_permutation(attention):
    n_heads, width = attention.num_heads, attention.d_model
    size = width // n_heads
    x = torch.randn(3, 6, width)
    with torch.no_grad():
        expected = attention(x, x, x)[0]
        for one, other in combinations(range(n_heads), 2):
            twin = copy.deepcopy(attention)
            a, b = slice(one * size, (one + 1) * size), slice(other * size, (other + 1) * size)
            for layer in (twin.W_Q, twin.W_K, twin.W_V):
                for tensor in (layer.weight, layer.bias):
                    tensor[a], tensor[b] = tensor[b].clone(), tensor[a].clone()
            weight = twin.W_O.weight
            weight[:, a], weight[:, b] = weight[:, b].clone(), weight[:, a].clone()
            torch.testing.assert_close(twin(x, x, x)[0], expected, rtol=1e-4, atol=1e-4)
