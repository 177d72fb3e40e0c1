"""SDPA is given [B, L, H, D]: the heads attend to one another, token by token."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def _split_heads(self, x):
        return x.unflatten(-1, (self.num_heads, self.head_dim))

    def _combine_heads(self, x):
        return x.flatten(2)
