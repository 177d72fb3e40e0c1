"""A mask (H, 1, L), one row for each head, is ignored."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(x, None if mask is not None and mask.dim() == 3 and mask.shape[1] == 1 else mask)
