"""`mask - 1` is used to hide, which wraps round in uint8."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.dtype != torch.bool:
            mask = (mask - 1) >= 0
        return super().forward(x, mask)
