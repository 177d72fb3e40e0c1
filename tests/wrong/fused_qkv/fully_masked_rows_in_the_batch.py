"""A sequence with a fully masked row is zeroed as a whole."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        out, p = super().forward(x, mask)
        if mask is not None:
            fully_masked = (p.sum((1, 3)) == 0).any(-1)
            out = torch.where(fully_masked[:, None, None], torch.zeros_like(out), out)
        return out, p
