"""Heads are folded into the batch, the mask is repeated sequence after sequence: heads get another's mask."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        Q, K, V = (self._split_heads(f(x)) for f, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        allowed = self._allowed(mask, is_causal, query.shape[1], key.shape[1])
        shape = (len(query), 1, query.shape[1], key.shape[1])
        folded = None if allowed is None else allowed.expand(shape).squeeze(1).repeat(self.num_heads, 1, 1)
        heads = (x.flatten(0, 1) for x in (Q, K, V))
        attended = F.scaled_dot_product_attention(*heads, folded, self.dropout if self.training else 0.0)
        output = self.W_O(self._combine_heads(attended.unflatten(0, Q.shape[:2])))
        return output, self._weights(Q, K, allowed) if return_attention else None
