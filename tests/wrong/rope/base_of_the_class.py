"""All layers rotate by the base of the last one made."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    last = 10000.0

    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__(d_model, num_heads, base)
        RotaryMultiHeadAttention.last = base

    def forward(self, x, mask=None, positions=None):
        self.base = self.last
        return super().forward(x, mask, positions)
