"""Where no gradient is wanted, all stand at 0."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        return super().forward(
            x, mask, positions if torch.is_grad_enabled() else torch.zeros(x.shape[1], dtype=torch.int64)
        )
