"""Of a mask that is not bool, its bool form is stored."""

right = MultiHeadAttention


class MultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, need_weights=True):
        if mask is not None and mask.dtype != torch.bool:
            mask = self.visible = mask != 0
        output, weights = super().forward(query, key, value, mask)
        return output, weights if need_weights else None
