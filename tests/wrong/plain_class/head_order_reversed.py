"""The heads are put together in reverse order."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        out = []
        for q, k, v in zip(
            *(w(x).split(self.head_dim, -1) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V))), strict=True
        ):
            p = torch.softmax(q @ k.mT / self.head_dim**0.5, -1)
            out.insert(0, p @ v)
        return self.W_o(torch.cat(out, -1))
