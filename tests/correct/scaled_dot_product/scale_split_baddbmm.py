"""Half of the scale on q, half on k; leading axes folded into one, the bias added by baddbmm."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    lead, (L, D), (S, Dv) = q.shape[:-2], q.shape[-2:], v.shape[-2:]
    root = D**-0.25
    bias = torch.zeros(*lead, L, S, dtype=q.dtype, device=q.device)
    if mask is not None:
        bias = bias.masked_fill(mask.bool(), -1e9)
    q3 = (q * root).reshape(-1, L, D)
    k3 = (k * root).reshape(-1, S, D)
    scores = torch.baddbmm(bias.reshape(-1, L, S), q3, k3.transpose(1, 2))
    weights = scores.softmax(dim=2)
    out = torch.bmm(weights, v.reshape(-1, S, Dv))
    return out.reshape(*lead, L, Dv), weights.reshape(*lead, L, S)
