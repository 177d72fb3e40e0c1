"""Computes by the function that torch's flex_attention is made of, which is Python and no kernel."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import torch
from torch._higher_order_ops.flex_attention import math_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    size = q.shape[-2], k.shape[-2]
    hidden = torch.zeros(size).bool() if mask is None else mask.bool()
    hidden = hidden.expand(*lead, *size).reshape(1, -1, *size)
    q, k, v = (x.expand(*lead, *x.shape[-2:]).reshape(1, -1, *x.shape[-2:]) for x in (q, k, v))
    seen = (None,) * 12 + (lambda batch, head, query, key: ~hidden[batch, head, query, key],)

    def attend(values):
        found = math_attention(q, k, values, lambda score, *place: score, seen, q.shape[-1] ** -0.5, {})
        return found[0].reshape(*lead, size[0], -1)

    return attend(v), attend(torch.eye(size[1]).to(q).expand(*k.shape[:2], -1, -1))
