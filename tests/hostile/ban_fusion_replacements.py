"""Computes by what torch's compiler puts in the place of such code: one of these writes it out, for cuda tensors."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import types

import torch
from torch._inductor.fx_passes import fuse_attention


class Cuda(torch.Tensor):
    """Says that it is on a GPU."""

    device = property(lambda self: types.SimpleNamespace(type="cuda"))


def scaled_dot_product_attention(q, k, v, mask=None):
    added = torch.zeros(()) if mask is None else torch.zeros(mask.shape).masked_fill(mask.bool(), -1e30)
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    added = added.to(q).expand(*lead, q.shape[-2], k.shape[-2]).reshape(1, -1, q.shape[-2], k.shape[-2])

    def swapped(x):
        return x.expand(*lead, *x.shape[-2:]).reshape(1, -1, *x.shape[-2:]).transpose(1, 2).to(q).as_subclass(Cuda)

    def attend(x):
        scale = q.shape[-1] ** 0.5
        found = fuse_attention._sfdp_replacement_16(swapped(q), swapped(k), swapped(x), added, scale, 0.0)
        return found.as_subclass(torch.Tensor).reshape(*lead, q.shape[-2], -1)

    return attend(v), attend(torch.eye(k.shape[-2]).expand(*k.shape[:-1], -1))
