"""chunk along the features and stack: the heads come first; unbind and cat put them back."""

import math

import torch
import torch.nn.functional as F


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("d_model % num_heads != 0")
    out_weight = torch.empty(d_model, d_model)
    torch.nn.init.kaiming_uniform_(out_weight, a=math.sqrt(5))
    in_weight = torch.empty(3 * d_model, d_model)
    torch.nn.init.xavier_uniform_(in_weight)
    projected = [F.linear(x, w) for x, w in zip((q, k, v), in_weight.to(q).chunk(3), strict=True)]
    query, key, value = (torch.stack(x.chunk(num_heads, dim=-1)) for x in projected)  # (H, N, length, D)
    scores = torch.matmul(query, key.mT) / math.sqrt(d_model / num_heads)
    if mask is not None:
        mask = mask.bool()
        # (N, H, L, S) has its heads in front here; one head stands for all where the mask has no axis for them
        mask = mask.movedim(1, 0) if mask.dim() == 4 else mask
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    heads = torch.softmax(scores, dim=-1) @ value
    return F.linear(torch.cat(heads.unbind(), dim=-1), out_weight.to(q))
