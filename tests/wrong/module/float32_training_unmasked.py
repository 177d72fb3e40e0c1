"""In float32 the mask is ignored in training."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def forward(self, query, key, value, mask=None, return_attention=True):
        if self.training and query.dtype == torch.float32:
            mask = None
        y, w = super().forward(query, key, value, mask, return_attention)

        return y, w
