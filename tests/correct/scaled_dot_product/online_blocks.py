"""Online softmax over blocks of keys (FlashAttention's recurrence), weights rescaled at the end."""

import torch

BLOCK = 4


def scaled_dot_product_attention(q, k, v, mask=None, block_size=BLOCK):
    scale = 1.0 / q.shape[-1] ** 0.5
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    L, S = q.shape[-2], k.shape[-2]
    if mask is not None:
        mask = mask.bool().expand(*lead, L, S)

    running_max = q.new_full((*lead, L, 1), torch.finfo(q.dtype).min)
    running_sum = q.new_zeros((*lead, L, 1))
    acc = q.new_zeros((*lead, L, v.shape[-1]))
    pieces = []
    for start in range(0, S, block_size):
        stop = min(start + block_size, S)
        s = scale * (q @ k[..., start:stop, :].transpose(-2, -1))
        if mask is not None:
            s = s.masked_fill(mask[..., start:stop], -torch.inf)
        new_max = torch.maximum(running_max, s.max(dim=-1, keepdim=True).values.detach())
        p = torch.exp(s - new_max)
        decay = torch.exp(running_max - new_max)
        running_sum = running_sum * decay + p.sum(dim=-1, keepdim=True)
        acc = acc * decay + p @ v[..., start:stop, :]
        pieces = [old * decay for old in pieces] + [p]
        running_max = new_max
    norm = torch.where(running_sum == 0, torch.ones_like(running_sum), running_sum)
    return acc / norm, torch.cat(pieces, dim=-1) / norm
