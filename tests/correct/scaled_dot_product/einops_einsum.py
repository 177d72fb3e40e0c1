"""einops.einsum with named axes for both products; masked_fill with the smallest number."""

import torch
from einops import einsum


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = einsum(q, k, "... query feature, ... key feature -> ... query key") / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return einsum(weights, v, "... query key, ... key feature -> ... query feature"), weights
