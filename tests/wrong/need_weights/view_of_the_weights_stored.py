"""A single number of the weights is stored, as a view of them all."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.first = weights.detach()[0, 0, 0, 0]
        return output, weights if need_weights else None
