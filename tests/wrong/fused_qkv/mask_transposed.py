"""The mask is transposed where it is square."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(
            x, mask.mT if mask is not None and mask.dim() > 1 and mask.size(-1) == mask.size(-2) else mask
        )
