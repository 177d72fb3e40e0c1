"""The weights are not returned unless they are asked for."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=False):
        output, weights = super().forward(query, key, value, mask)
        return output, weights if need_weights else None
