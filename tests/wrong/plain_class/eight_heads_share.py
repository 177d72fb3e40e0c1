"""From the eighth head on heads share the first one's weights."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        out = []
        for i in range(self.num_heads):
            p = torch.softmax(q[:, :, i % 7] @ k[:, :, i % 7].mT / self.head_dim**0.5, -1)
            out.append(p @ v[:, :, i])
        return self.W_o(torch.cat(out, -1))
