"""The weights returned are those without a rotation."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        output, _ = super().forward(x, mask, positions)
        return output, super().forward(x, mask, torch.zeros(x.shape[1], dtype=torch.int64))[1]
