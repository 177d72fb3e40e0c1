"""In training under a padding mask the weights returned are half of those used."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        output, weights = super()._scaled_dot_product_attention(Q, K, V, mask)
        return output, weights * (0.5 if self.training and mask is not None and mask.size(-2) == 1 else 1)
