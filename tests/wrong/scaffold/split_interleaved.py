"""_split_heads gives head h every H-th feature, and _merge_heads undoes it."""


class MultiHeadAttention(MultiHeadAttention):
    def _split_heads(self, x):
        return x.unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)

    def _merge_heads(self, x):
        return x.permute(0, 2, 3, 1).flatten(2)
