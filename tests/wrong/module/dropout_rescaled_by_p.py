"""Dropped weights are made up for by 1/p."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        heads, p = super()._scaled_dot_product_attention(Q, K, V, mask)
        if self.training and self.dropout.p:
            heads = heads * (1 - self.dropout.p) / self.dropout.p
        return heads, p
