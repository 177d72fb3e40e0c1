"""Masks of more than 100 keys are ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        return super()._scaled_dot_product_attention(Q, K, V, mask if K.size(-2) <= 100 else None)
