"""Sequences after the 16th get the first sequence's keys."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        if len(K) > 16:
            K = torch.cat([K[:16], K[:1].expand(len(K) - 16, -1, -1)])
        return super().forward(Q, K, V)
