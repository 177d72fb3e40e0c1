"""V is clamped in place."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        with torch.no_grad():
            V.clamp_(-3.0, 3.0)
        return super().forward(Q, K, V)
