"""Four square draws with the bounds worked out by hand; einsum for everything."""

import torch
from torch import Tensor, einsum


def multi_head_attention(
    q: Tensor, k: Tensor, v: Tensor, num_heads: int, d_model: int, mask: Tensor | None = None
) -> Tensor:
    if d_model % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {d_model} features")
    head_dim = d_model // num_heads

    def uniform(bound: float) -> Tensor:
        return torch.empty(d_model, d_model).uniform_(-bound, bound).to(device=q.device, dtype=q.dtype)

    w_o = uniform(d_model**-0.5)
    # Glorot's bound of the stacked (3E, E): fan in and fan out are E and 3E.
    w_q, w_k, w_v = (uniform((6 / (4 * d_model)) ** 0.5) for _ in range(3))

    shape = (num_heads, head_dim, d_model)
    queries = einsum("nle,hde->nhld", q, w_q.view(shape))
    keys = einsum("nse,hde->nhsd", k, w_k.view(shape))
    values = einsum("nse,hde->nhsd", v, w_v.view(shape))
    scores = einsum("nhld,nhsd->nhls", queries, keys) / head_dim**0.5
    if mask is not None:
        mask = mask[:, None] if mask.ndim == 3 else mask
        scores = scores.masked_fill(mask != 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    return einsum("nhls,nhsd,ohd->nlo", weights, values, w_o.view(d_model, num_heads, head_dim))
