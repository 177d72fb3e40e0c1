"""The weights are stored in train mode alone."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.weights = weights.detach() if self.training else None
        return output, weights if need_weights else None
