"""Positions [B, L] are ignored, positions [L] are used."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        return super().forward(x, mask, None if positions is not None and positions.dim() == 2 else positions)
