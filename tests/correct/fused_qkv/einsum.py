"""einsum with the layer's weight seen as (3, H, D, E): projection and split at once."""

from torch import Tensor, einsum, nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.shape = (3, num_heads, d_model // num_heads)
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        w = self.qkv_proj.weight.unflatten(0, self.shape)
        b = self.qkv_proj.bias.unflatten(0, self.shape)
        q, k, v = einsum("ble,phde->pblhd", x, w) + b[:, None, None]
        sim = einsum("bihd,bjhd->bhij", q, k) * self.shape[2] ** -0.5
        if mask is not None:
            sim = sim.masked_fill(mask.logical_not(), -1e9)
        attn = sim.softmax(-1)
        out = einsum("bhij,bjhd,ohd->bio", self.dropout(attn), v, self.out_proj.weight.unflatten(1, self.shape[1:]))
        return out + self.out_proj.bias, attn
