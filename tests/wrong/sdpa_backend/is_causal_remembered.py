"""is_causal is kept in the layer once it was asked for."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        self.is_causal = is_causal or getattr(self, "is_causal", False)
        return super().forward(query, key, value, mask, self.is_causal, return_attention)
