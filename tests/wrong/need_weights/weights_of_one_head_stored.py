"""Only the first head's weights are stored, as a copy."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.weights = weights[:, 0].detach().clone()
        return output, weights if need_weights else None
