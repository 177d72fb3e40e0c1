"""Masks of more than 128 keys are ignored."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        if mask is not None and mask.size(-1) > 128:
            mask = torch.ones_like(mask)
        return super().forward(x, mask)
