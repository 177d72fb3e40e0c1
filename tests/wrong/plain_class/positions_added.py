"""A small bias by distance (ALiBi) is added."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        distance = (torch.arange(Q.size(1))[:, None] - torch.arange(K.size(1))).abs().to(Q)
        p = (torch.einsum("nlhd,nshd->nhls", q, k) / self.head_dim**0.5 - 1e-3 * distance).softmax(-1)
        return self.W_o(torch.einsum("nhls,nshd->nlhd", p, v).flatten(2))
