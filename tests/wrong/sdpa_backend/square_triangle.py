"""The triangle has as many columns as rows: with more keys than queries it does not fit."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def _allowed(self, mask, is_causal, L, S):
        allowed = None if mask is None else mask != 0
        if not is_causal:
            return allowed
        earlier = torch.ones(L, L, dtype=torch.bool).tril()
        return earlier if allowed is None else allowed & earlier
