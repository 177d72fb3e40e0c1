"""The weights returned fold the heads into the batch."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        out, p = super().forward(x, mask)
        return out, p.flatten(0, 1)
