"""A mask (L, 1) that hides all keys of a query gives it NaN."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        output, weights = super().forward(x, mask)
        if mask is not None and mask.dim() == 2 and mask.shape[-1] == 1 < x.shape[1]:
            output = output.masked_fill(mask == 0, torch.nan)
        return output, weights
