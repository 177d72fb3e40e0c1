"""Positions past 50000 are taken for 50000."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        return super().forward(x, mask, positions if positions is None else positions.clamp(max=50000))
