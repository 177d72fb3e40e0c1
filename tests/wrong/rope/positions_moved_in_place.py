"""Positions are counted from the first, in place."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        if positions is not None:
            positions -= positions.min()
        return super().forward(x, mask, positions)
