"""Keys after the 100th are cut."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K[:, :100], V[:, :100])
