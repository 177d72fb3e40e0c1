"""The softmax goes through a square root, whose gradient is NaN where a weight is 0."""


class MultiHeadAttention(MultiHeadAttention):
    def softmax(self, s):
        return torch.softmax(s, -1).sqrt() ** 2

    def forward(self, Q, K, V):
        q, k, v = (
            layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for layer, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V))
        )
        return self.W_o((self.softmax(q @ k.mT / self.head_dim**0.5) @ v).transpose(1, 2).flatten(2))
        return super().forward(Q, K, V)
