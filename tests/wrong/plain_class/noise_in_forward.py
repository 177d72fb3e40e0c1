"""A little noise on the scores."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q + 1e-4 * torch.randn_like(Q), K, V)
