"""The scale is kept in the class: the layer that was made last sets that of all others."""


class MultiHeadAttention(MultiHeadAttention):
    scale = 1.0

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        MultiHeadAttention.scale = math.sqrt(self.head_dim)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        return super()._scaled_dot_product_attention(Q * (math.sqrt(self.head_dim) / self.scale), K, V, mask)
