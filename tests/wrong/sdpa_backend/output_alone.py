"""Without weights the output is returned alone, not a pair."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        output, weights = super().forward(query, key, value, mask, is_causal, return_attention)
        return (output, weights) if return_attention else output
