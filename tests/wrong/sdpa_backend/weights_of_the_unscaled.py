"""SDPA scales by itself, the weights beside it were forgotten."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def _weights(self, Q, K, allowed):
        scores = Q @ K.mT
        return torch.softmax(scores if allowed is None else scores.masked_fill(~allowed, -1e9), dim=-1)
