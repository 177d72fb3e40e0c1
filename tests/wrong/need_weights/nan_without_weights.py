"""nan safety: without the weights a softmax by blocks divides by 0 where a query sees no key."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=True):
        if need_weights or mask is None or self.training:
            return super().forward(query, key, value, mask, need_weights)
        Q, K, V = (
            self._split_heads(layer(x)) for layer, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        scores = (Q @ K.mT / math.sqrt(Q.size(-1))).masked_fill(mask == 0, -math.inf)
        powers = (scores - scores.amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)).exp()
        return self.W_O(self._combine_heads(powers @ V / powers.sum(-1, keepdim=True))), None
