"""Heads of one feature are averaged."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        return super()._scaled_dot_product_attention(Q * 0 if self.head_dim == 1 else Q, K, V, mask)
