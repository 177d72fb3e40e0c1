"""With 8 heads no gradient reaches the queries."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        if self.num_heads == 8:
            Q = Q.detach()
        return super().forward(Q, K, V)
