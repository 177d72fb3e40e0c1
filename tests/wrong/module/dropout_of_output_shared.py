"""The output's dropout is the same for all sequences."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        q, k, v = (self._split_heads(w(t)) for w, t in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        heads, p = self._scaled_dot_product_attention(q, k, v, mask)
        output = self.W_O(self._combine_heads(heads))
        return output * self.dropout(torch.ones_like(output[:1])), p if return_attention else None
