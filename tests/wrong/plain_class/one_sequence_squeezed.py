"""A batch of one sequence loses its axis."""

TIER = "shapes"


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K, V).squeeze(0)
