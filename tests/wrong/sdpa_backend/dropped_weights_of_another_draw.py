"""The weights returned are dropped by a draw of their own: they are not those that made the output."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def _weights(self, Q, K, allowed):
        return F.dropout(super()._weights(Q, K, allowed), self.dropout, self.training)
