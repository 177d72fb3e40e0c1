"""The weights are returned though they are not wanted."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        return output, weights
