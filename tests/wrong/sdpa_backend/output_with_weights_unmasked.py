"""Where the weights are wanted the output is written out, and its mask was forgotten."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        output, weights = super().forward(query, key, value, mask, is_causal, return_attention)
        if return_attention:
            output, _ = super().forward(query, key, value, None, is_causal)
        return output, weights
