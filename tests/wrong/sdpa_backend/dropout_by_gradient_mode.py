"""dropout_p where gradients are on, not where the module is in train mode."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        Q, K, V = (self._split_heads(f(x)) for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        allowed = self._allowed(mask, is_causal, query.shape[1], key.shape[1])
        dropout_p = self.dropout if torch.is_grad_enabled() else 0.0
        attended = F.scaled_dot_product_attention(Q, K, V, allowed, dropout_p)
        return self.W_O(self._combine_heads(attended)), self._weights(Q, K, allowed) if return_attention else None
