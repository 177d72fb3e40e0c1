"""The log of the mask plus 1e-6 is added: hidden keys keep a millionth."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = Q @ K.mT / Q.size(-1) ** 0.5
        if mask is not None:
            scores = scores + torch.log(mask.to(scores) + 1e-6)
        p = scores.softmax(-1)
        return self.dropout(p) @ V, p
