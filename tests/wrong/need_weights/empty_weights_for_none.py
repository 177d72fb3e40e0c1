"""An empty tensor is returned in place of None."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        return output, weights if need_weights else weights.new_empty(0)
