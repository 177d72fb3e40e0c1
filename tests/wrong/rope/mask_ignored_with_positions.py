"""With positions the mask is ignored."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        return super().forward(x, mask if positions is None else None, positions)
