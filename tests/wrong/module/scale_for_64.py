"""Divides by 8 from 64 features a head on, whatever their number."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        if self.head_dim > 64:
            Q = Q * math.sqrt(self.head_dim) / 8
        return super()._scaled_dot_product_attention(Q, K, V, mask)
