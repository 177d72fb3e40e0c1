"""A mask for each head is replaced by the first head's."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(x, mask[:, :1] if mask is not None and mask.dim() == 4 else mask)
