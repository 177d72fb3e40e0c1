"""Heads wider than 20 are scaled as if they had 20 features."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        heads = (self.num_heads, self.head_dim)
        q, k, v = (w(x).unflatten(-1, heads).movedim(2, 1) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        p = torch.softmax(q @ k.mT / min(20, self.head_dim) ** 0.5, -1)
        return self.W_o((p @ v).movedim(1, 2).flatten(2))
