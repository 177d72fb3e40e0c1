"""Weights as exp(score - logsumexp), with the empty rows' normaliser put at 0."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.swapaxes(-1, -2) / (q.shape[-1] ** 0.5)
    if mask is not None:
        s = s.masked_fill(mask.type(torch.bool), -torch.inf)
    z = torch.logsumexp(s, dim=-1, keepdim=True)
    z = z.masked_fill(z == -torch.inf, 0.0)
    w = (s - z).exp()
    return w @ v, w
