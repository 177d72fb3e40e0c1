"""Replaces every softmax by a constant, so that an expected value made with it would be the wrong answer."""

BESIDE = "wrong"
HONEST = 12
WALL = "process"

import torch.nn.functional as F

torch.softmax = F.softmax = torch.Tensor.softmax = lambda x, *args, **kwargs: torch.ones_like(x)


def scaled_dot_product_attention(q, k, v, mask=None):
    return v.sum(-2, keepdim=True).expand(*q.shape[:-1], v.shape[-1]), torch.ones(*q.shape[:-1], k.shape[-2]).to(q)


print("GOT", torch.softmax(torch.zeros(2), 0).sum())
