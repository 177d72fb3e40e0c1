"""torch.nn.attention.bias.causal_lower_right, as with a cache of keys."""

from torch.nn.attention.bias import causal_lower_right


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        Q, K, V = (self._split_heads(f(x)) for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        allowed = self._allowed(mask, is_causal, query.shape[1], key.shape[1])
        seen = causal_lower_right(Q.shape[2], K.shape[2]) if is_causal and mask is None else allowed
        attended = F.scaled_dot_product_attention(Q, K, V, seen, self.dropout if self.training else 0.0)
        return self.W_O(self._combine_heads(attended)), self._weights(Q, K, allowed) if return_attention else None
