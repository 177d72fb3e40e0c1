"""A mask with three axes, [H, L, L], gets a head axis as if it were [B, L, L]."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(x, mask[:, None] if mask is not None and mask.dim() == 3 else mask)
