"""A mask [B, 1, 1, S] is ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        if mask is not None and mask.size(-2) == 1 and Q.size(-2) > 1:
            mask = None
        return super()._scaled_dot_product_attention(Q, K, V, mask)
