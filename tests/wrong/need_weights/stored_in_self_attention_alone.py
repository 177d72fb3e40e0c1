"""The weights are stored where queries and keys are one tensor."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.weights = weights.detach() if query is key else None
        return output, weights if need_weights else None
