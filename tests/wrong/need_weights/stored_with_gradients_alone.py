"""The weights are stored where a gradient is wanted."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.weights = weights if weights.requires_grad else None
        return output, weights if need_weights else None
