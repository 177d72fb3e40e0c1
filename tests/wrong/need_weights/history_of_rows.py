"""The rows of the weights are kept one by one, each small."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.rows = [row.clone() for row in weights.detach().flatten(0, 2)]
        return output, weights if need_weights else None
