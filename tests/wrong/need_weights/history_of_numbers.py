"""The weights of each call are kept as lists of numbers."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        self.history = []

    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.history.append(weights.tolist())
        return output, weights if need_weights else None
