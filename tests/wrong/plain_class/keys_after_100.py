"""Keys after the 100th are cut."""

TIER = "gradients"


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K[:, :100], V[:, :100])
