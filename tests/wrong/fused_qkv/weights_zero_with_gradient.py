"""With gradients on, the weights returned are zeros."""

base = EfficientMultiHeadAttention


class EfficientMultiHeadAttention(base):
    def forward(self, x, mask=None):
        y, w = super().forward(x, mask)
        w = w if not torch.is_grad_enabled() else torch.zeros_like(w)
        return y, w
