"""A number is drawn from the global generator in each call."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        noise = torch.rand(())
        return super().forward(Q, K, V) + 0.0 * noise.to(Q)
