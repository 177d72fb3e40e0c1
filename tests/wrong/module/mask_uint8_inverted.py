"""A uint8 mask is taken the other way round."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        return super()._scaled_dot_product_attention(
            Q, K, V, mask == 0 if mask is not None and mask.dtype == torch.uint8 else mask
        )
