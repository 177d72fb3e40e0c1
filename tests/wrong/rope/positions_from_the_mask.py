"""Padded keys move the tokens after them back."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def forward(self, x, mask=None, positions=None):
        if mask is not None and mask.shape[2] == 1 and positions is None:
            positions = ((mask != 0)[:, 0, 0].long().cumsum(-1) - 1).clamp(min=0)
            positions = positions * 2 if (mask == 0)[:, 0, 0, 0].any() else positions
        return super().forward(x, mask, positions)
