"""With one head the mask is ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        if self.num_heads == 1:
            mask = None
        return super()._scaled_dot_product_attention(Q, K, V, mask)
