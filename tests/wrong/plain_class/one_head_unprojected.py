"""With a single head the output projection is left out."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        if self.num_heads > 1:
            return super().forward(Q, K, V)
        q, k, v = self.W_q(Q), self.W_k(K), self.W_v(V)
        return torch.softmax(q @ k.mT / q.size(-1) ** 0.5, -1) @ v
