"""The path without weights forgets the mask."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask if need_weights else None)
        return output, weights if need_weights else None
