"""In float32 the output is cut off from its graph."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def forward(self, Q, K, V):
        y = super().forward(Q, K, V)
        if Q.dtype == torch.float32:
            y = y.detach()
        return y
