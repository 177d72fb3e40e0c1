"""Powers of 2 in place of e."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        scores = torch.einsum("nlhd,nshd->nhls", q, k) / self.head_dim**0.5
        p = torch.exp2(scores - scores.amax(-1, keepdim=True))
        p = p / p.sum(-1, keepdim=True)
        return self.W_o(torch.einsum("nhls,nshd->nlhd", p, v).flatten(2))
