"""NumPy compares, orders come from itertools: all of few heads, some of many; uniform inputs among the normal ones."""

from itertools import islice, permutations
from random import Random

import numpy as np
import torch
from torch.func import functional_call


def orders(count):
    if count <= 4:
        return list(permutations(range(count)))
    swaps = [tuple({i: i + 1, i + 1: i}.get(h, h) for h in range(count)) for i in range(count - 1)]
    mixed = Random(3)
    return swaps + [tuple(mixed.sample(range(count), count)) for _ in range(5)]


def check_head_permutation(attention):
    heads, d = attention.num_heads, attention.d_model // attention.num_heads
    parameters = {k: v.detach().clone() for k, v in attention.state_dict().items()}
    x = torch.randn((2, 8, attention.d_model), generator=torch.Generator().manual_seed(5))

    def answer(given):
        with torch.no_grad():
            return functional_call(attention, given, (x, x, x), {"return_attention": False})[0].numpy()

    right = answer(parameters)
    for order in islice(orders(heads), 30):
        features = np.concatenate([np.arange(h * d, (h + 1) * d) for h in order])
        moved = {k: v[features] for k, v in parameters.items() if not k.startswith("W_O")}
        moved["W_O.weight"] = parameters["W_O.weight"][:, features]
        moved["W_O.bias"] = parameters["W_O.bias"]
        np.testing.assert_allclose(answer(moved), right, rtol=0.0, atol=5e-4 * np.abs(right).max())
