"""return_attention is True where it is left out."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=True):
        return super().forward(query, key, value, mask, is_causal, return_attention)
