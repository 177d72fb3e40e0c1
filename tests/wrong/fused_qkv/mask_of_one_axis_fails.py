"""A mask over the keys alone, [L], raises."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        if mask is not None:
            rows, columns = mask.shape[-2:]
            mask = mask.reshape(*mask.shape[:-2], rows, columns)
        return super().forward(x, mask)
