"""Heads folded into the batch; the mask added by baddbmm as a bias of finfo.min."""

import torch
from torch import Tensor, nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.head_dim, rest = divmod(d_model, num_heads)
        if rest != 0:
            raise ValueError(f"{d_model} features cannot be shared by {num_heads} heads")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model, bias=True)
        self.out_proj = nn.Linear(d_model, d_model, bias=True)
        self.p = dropout

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, L, E = x.size()
        H, D = self.num_heads, self.head_dim
        qkv = self.qkv_proj(x).view(B, L, 3, H, D).permute(2, 0, 3, 1, 4).reshape(3, B * H, L, D)
        bias = torch.zeros(B, H, L, L, dtype=x.dtype, device=x.device)
        if mask is not None:
            bias = bias.masked_fill(mask == 0, torch.finfo(x.dtype).min)
        scores = torch.baddbmm(bias.view(B * H, L, L), qkv[0], qkv[1].transpose(1, 2), beta=1, alpha=D**-0.5)
        weights = nn.functional.softmax(scores, dim=-1)
        dropped = nn.functional.dropout(weights, self.p, self.training)
        out = torch.bmm(dropped, qkv[2]).view(B, H, L, D).transpose(1, 2).reshape(B, L, E)
        return self.out_proj(out), weights.view(B, H, L, L)
