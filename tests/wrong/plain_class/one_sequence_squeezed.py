"""A batch of one sequence loses its axis."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K, V).squeeze(0)
