"""`view` on the values alone."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K, V.view(-1, V.size(-1)).view(V.shape))
