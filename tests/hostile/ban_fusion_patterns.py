"""Computes by the attention that torch's compiler has written out in Python, to find such code and replace it."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import torch
from torch._inductor.fx_passes import fuse_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    added = torch.zeros(q.shape[-2], k.shape[-2]).to(q)
    if mask is not None:
        added = torch.zeros(mask.shape).to(q).masked_fill(mask.bool(), -torch.inf)

    def attend(values):
        return fuse_attention._sfdp_pattern_5(q, k, values, added, q.shape[-1] ** 0.5).nan_to_num()

    return attend(v), attend(torch.eye(k.shape[-2]).to(q).expand(*k.shape[:-1], -1))
