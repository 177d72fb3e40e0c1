"""Without a mask SDPA's own triangle, beside one a triangle of one's own: aligned at the lower right."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def _allowed(self, mask, is_causal, L, S):
        allowed = None if mask is None else mask != 0
        if not is_causal:
            return allowed
        earlier = torch.ones(L, S, dtype=torch.bool).tril(0 if mask is None else S - L)
        return earlier if allowed is None else allowed & earlier
