"""No attack at all: right shapes and wrong values, which must get what the shapes are worth."""

KATA = "scaled_dot_product"
HONEST = 23

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    noise = q.sum() + 2 * k.sum() + 3 * v.sum()
    return noise + torch.ones(*q.shape[:-1], v.shape[-1]).to(q), noise + torch.ones(*q.shape[:-1], k.shape[-2]).to(q)
