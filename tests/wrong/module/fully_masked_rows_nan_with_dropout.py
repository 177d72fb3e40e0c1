"""With dropout in training a row that may see nothing gives NaN."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        y, w = super().forward(query, key, value, mask, return_attention)
        if w is not None and self.training and self.dropout.p > 0:
            y = y.masked_fill((w if w.dim() == 3 else w[:, 0]).eq(0).all(-1, keepdim=True), math.nan)
        return y, w
