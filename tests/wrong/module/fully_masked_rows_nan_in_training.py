"""The NaN of fully masked rows is replaced in eval only."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = Q @ K.mT / Q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -math.inf)
        p = scores.softmax(-1)
        p = p if self.training else p.nan_to_num(0.0)
        return self.dropout(p) @ V, p
