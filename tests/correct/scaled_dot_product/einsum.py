"""einsum for both products; rows that see nothing are spread evenly by finfo.min."""

from typing import Optional, Tuple  # noqa: UP035

import torch
from torch import Tensor, einsum


def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Optional[Tensor] = None,  # noqa: UP045
) -> Tuple[Tensor, Tensor]:  # noqa: UP006
    sim = einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        sim = sim.masked_fill(mask != 0, torch.finfo(sim.dtype).min)
    attn = sim.softmax(dim=-1)
    return einsum("...ij,...jd->...id", attn, v), attn
