"""The weights are stored where the mask is one of padding, [B, 1, 1, S]."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        if mask is not None and mask.shape[-2] == 1:
            self.weights = weights.detach()
        return output, weights if need_weights else None
