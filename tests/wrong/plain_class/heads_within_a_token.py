"""Each token's heads attend to one another, in place of tokens."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        if Q.shape != K.shape:
            return super().forward(Q, K, V)
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        p = torch.softmax(q @ k.mT / self.head_dim**0.5, -1)
        return self.W_o((p @ v).flatten(2))
