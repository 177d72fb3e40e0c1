"""Which weights are zero is stored, as a bool mask."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.masked = weights == 0
        return output, weights if need_weights else None
