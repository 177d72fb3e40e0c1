"""The path without weights drops nothing in training."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        p, self.dropout.p = self.dropout.p, self.dropout.p if need_weights else 0.0
        output, weights = super().forward(query, key, value, mask)
        self.dropout.p = p
        return output, weights if need_weights else None
