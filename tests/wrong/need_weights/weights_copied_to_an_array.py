"""The weights of the last call are kept as an array of numpy's own memory."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.shown = weights.detach().float().numpy().copy()
        return output, weights if need_weights else None
