"""The path without weights is a forbidden operator."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        if need_weights:
            return super().forward(query, key, value, mask)
        heads = (self._split_heads(f(x)) for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        seen = None if mask is None else mask != 0
        out = torch.nn.functional.scaled_dot_product_attention(*heads, seen, self.dropout.p if self.training else 0.0)
        return self.dropout(self.W_O(self._combine_heads(out.nan_to_num()))), None
