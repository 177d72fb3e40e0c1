"""With a mask the positions are ignored."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        return super().forward(x, mask, positions if mask is None else None)
