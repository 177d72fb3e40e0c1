"""The mask and is_causal are both given to SDPA, which refuses the two together."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        Q, K, V = (self._split_heads(f(x)) for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        seen = None if mask is None else mask != 0
        dropout_p = self.dropout if self.training else 0.0
        attended = F.scaled_dot_product_attention(Q, K, V, seen, dropout_p, is_causal)
        allowed = self._allowed(mask, is_causal, query.shape[1], key.shape[1])
        return self.W_O(self._combine_heads(attended)), self._weights(Q, K, allowed) if return_attention else None
