"""With return_attention=False dropout on the weights is left out."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        if return_attention:
            return super().forward(query, key, value, mask)
        q, k, v = (self._split_heads(w(t)) for w, t in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return self.dropout(self.W_O(self._combine_heads(scores.softmax(-1) @ v))), None
