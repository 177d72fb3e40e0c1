"""baddbmm takes the bias of finfo.min and the scale; kaiming_uniform_ on an empty Parameter."""

import torch
from torch import nn


def additive(mask, n, heads, length, keys, dtype):
    bias = torch.zeros(n, heads, length, keys, dtype=dtype, device=mask.device)
    if mask.dim() == 3:
        mask = mask[:, None, :, :]
    return bias.masked_fill(mask.bool(), torch.finfo(dtype).min).flatten(0, 1)


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model // num_heads * num_heads != d_model:
        raise ValueError("d_model is no multiple of num_heads")
    w_o = nn.Parameter(torch.empty((d_model, d_model)), requires_grad=False)
    nn.init.kaiming_uniform_(w_o, a=5**0.5)
    w_in = nn.Parameter(torch.empty((3 * d_model, d_model)), requires_grad=False)
    nn.init.xavier_uniform_(w_in)
    w = [x.to(q.device, q.dtype) for x in (*w_in.chunk(3), w_o)]

    n, length, keys = q.shape[0], q.shape[1], k.shape[1]
    qh, kh, vh = (
        torch.matmul(x, m.t()).unflatten(2, (num_heads, -1)).transpose(1, 2).flatten(0, 1)
        for x, m in zip((q, k, v), w, strict=False)
    )
    scale = qh.size(-1) ** -0.5
    if mask is None:
        scores = torch.bmm(qh, kh.mT) * scale
    else:
        scores = torch.baddbmm(additive(mask, n, num_heads, length, keys, q.dtype), qh, kh.mT, alpha=scale)
    out = torch.bmm(scores.softmax(-1), vh)
    return torch.matmul(out.unflatten(0, (n, num_heads)).transpose(1, 2).flatten(2), w[3].t())
