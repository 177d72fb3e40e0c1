"""A mask with two axes is taken as padding [B, L] where B is L or 1."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.dim() == 2 and len(mask) == len(x):
            mask = mask[:, None, None]
        return super().forward(x, mask)
