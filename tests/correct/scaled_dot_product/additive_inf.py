"""A bias of zeros and -inf is added; rows that see nothing are given no bias at all."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    bias = torch.zeros((), dtype=q.dtype, device=q.device)
    if mask is not None:
        hidden = mask != 0
        fully_masked = hidden.all(dim=-1, keepdim=True)
        bias = torch.zeros(hidden.shape, dtype=q.dtype, device=q.device)
        bias[hidden & ~fully_masked] = float("-inf")
    weights = (q.mul(q.shape[-1] ** -0.5) @ k.mT + bias).softmax(dim=-1)
    return weights @ v, weights
