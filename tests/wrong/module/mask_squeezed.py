"""The mask is squeezed: with one sequence or L = 1 the axes shift."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        return super()._scaled_dot_product_attention(Q, K, V, mask if mask is None else mask.squeeze().unsqueeze(1))
