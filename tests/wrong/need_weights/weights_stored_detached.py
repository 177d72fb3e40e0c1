"""The weights are stored without their graph."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.weights = weights.detach()
        return output, weights if need_weights else None
