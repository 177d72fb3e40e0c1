"""With 8 heads or more they are combined in reverse order."""


class MultiHeadAttention(MultiHeadAttention):
    def _combine_heads(self, x):
        return super()._combine_heads(x.flip(1) if self.num_heads >= 8 else x)
