"""A query that may see nothing gets NaN."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = Q @ K.mT / Q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -math.inf)
        p = scores.softmax(-1)
        return self.dropout(p) @ V, p
