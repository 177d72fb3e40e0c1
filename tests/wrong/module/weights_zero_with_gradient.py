"""With gradients on, the weights returned are zeros."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def forward(self, query, key, value, mask=None, return_attention=True):
        y, w = super().forward(query, key, value, mask, return_attention)
        w = w if w is None or not torch.is_grad_enabled() else torch.zeros_like(w)
        return y, w
