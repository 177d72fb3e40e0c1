"""The class appends the weights of each call to a list."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    history = []

    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.history.append(weights.detach())
        return output, weights if need_weights else None
