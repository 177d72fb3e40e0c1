"""return_attention is ignored: the weights always come."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        return super().forward(query, key, value, mask, is_causal, True)
