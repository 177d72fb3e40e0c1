"""Masks of another integer dtype than int64 are ignored."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(
            x, None if mask is not None and mask.dtype in (torch.int32, torch.int16, torch.int8) else mask
        )
