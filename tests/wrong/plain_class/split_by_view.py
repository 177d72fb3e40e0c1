"""The heads are split by view alone: positions and features mix."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        n, h, d = len(Q), self.num_heads, self.head_dim
        q, k, v = (w(x).view(n, h, -1, d) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        p = torch.softmax(q @ k.mT / d**0.5, -1)
        return self.W_o((p @ v).transpose(1, 2).reshape(n, -1, h * d))
