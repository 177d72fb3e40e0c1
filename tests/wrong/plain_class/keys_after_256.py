"""Keys after the 256th are cut."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K[:, :256], V[:, :256])
