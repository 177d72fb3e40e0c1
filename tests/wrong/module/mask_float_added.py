"""A float mask is added."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        if mask is None or not mask.is_floating_point():
            return super()._scaled_dot_product_attention(Q, K, V, mask)
        p = (Q @ K.mT / Q.size(-1) ** 0.5 + mask.to(Q)).softmax(-1)
        return self.dropout(p) @ V, p
