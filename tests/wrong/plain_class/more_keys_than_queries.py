"""Keys beyond the number of queries are cut."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K[:, : Q.shape[1]], V[:, : Q.shape[1]])
