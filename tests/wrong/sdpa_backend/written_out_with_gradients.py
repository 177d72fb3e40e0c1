"""SDPA under no_grad alone: where gradients are recorded the weights are written out."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        if not torch.is_grad_enabled():
            return super().forward(query, key, value, mask, is_causal, return_attention)
        Q, K, V = (self._split_heads(f(x)) for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        weights = self._weights(Q, K, self._allowed(mask, is_causal, query.shape[1], key.shape[1]))
        attended = F.dropout(weights, self.dropout, self.training) @ V
        return self.W_O(self._combine_heads(attended)), weights if return_attention else None
