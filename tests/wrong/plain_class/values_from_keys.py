"""The values are made from K."""

TIER = "weight sums"


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K, K)
