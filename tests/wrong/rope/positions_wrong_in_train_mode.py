"""In train mode the positions are ignored."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        return super().forward(x, mask, None if self.training else positions)
