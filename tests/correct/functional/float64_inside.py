"""Everything in float64 and cast back; the scale split over queries and keys."""

import math
from typing import Optional

import torch
from torch import Tensor
from torch.nn.init import kaiming_uniform_, xavier_uniform_


def multi_head_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    num_heads: int,
    d_model: int,
    mask: Optional[Tensor] = None,  # noqa: UP045
) -> Tensor:
    head_dim, remainder = divmod(d_model, num_heads)
    if remainder:
        raise ValueError("d_model must be a multiple of num_heads")
    w_out, w_in = torch.empty(d_model, d_model), torch.empty(3 * d_model, d_model)
    kaiming_uniform_(w_out, a=math.sqrt(5))
    xavier_uniform_(w_in)
    w_out, w_in = (w.to(q).double() for w in (w_out, w_in))

    queries, keys, values = (
        torch.einsum("nte,oe->nto", x.double(), w).view(*x.shape[:2], num_heads, head_dim).transpose(1, 2)
        for x, w in zip((q, k, v), w_in.tensor_split(3), strict=True)
    )
    root = math.sqrt(math.sqrt(head_dim))
    scores = (queries / root) @ (keys / root).transpose(-1, -2)
    if mask is not None:
        if mask.dim() == 3:
            mask = mask.view(mask.size(0), 1, mask.size(1), mask.size(2))
        scores = scores + torch.zeros(mask.shape, dtype=torch.float64, device=q.device).masked_fill(mask.bool(), -1e9)
    mixed = (scores.softmax(dim=-1) @ values).transpose(1, 2).reshape(q.size(0), q.size(1), d_model)
    return (mixed @ w_out.T).to(q.dtype)
