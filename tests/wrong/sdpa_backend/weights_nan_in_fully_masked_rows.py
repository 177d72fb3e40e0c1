"""SDPA gives a fully masked row zeros, the weights written out beside it NaN."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def _weights(self, Q, K, allowed):
        scores = Q @ K.mT / math.sqrt(self.head_dim)
        return torch.softmax(scores if allowed is None else scores.masked_fill(~allowed, -math.inf), dim=-1)
