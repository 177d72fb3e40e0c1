"""A mask of three axes must have one for each head: (1, L, L), which broadcasts, fails."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.reshape(1, self.num_heads, *mask.shape[1:])
        return super().forward(x, mask)
