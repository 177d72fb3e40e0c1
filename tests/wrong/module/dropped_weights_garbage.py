"""In training the weights returned hold 7 where one was dropped."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def forward(self, query, key, value, mask=None, return_attention=True):
        q, k, v = (
            self._split_heads(self.W_Q(query)),
            self._split_heads(self.W_K(key)),
            self._split_heads(self.W_V(value)),
        )
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -math.inf)
        p = scores.softmax(-1)
        if mask is not None:
            p = p.masked_fill(mask == 0, 0.0)
        d = self.dropout(p)
        y = self.dropout(self.W_O(self._combine_heads(d @ v)))
        if self.training and self.dropout.p > 0:
            p = d.masked_fill(d == 0, 7.0)
        return y, p if return_attention else None
