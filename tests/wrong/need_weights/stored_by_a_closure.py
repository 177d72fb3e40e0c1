"""A function of the layer holds the weights."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.look = lambda: weights
        return output, weights if need_weights else None
