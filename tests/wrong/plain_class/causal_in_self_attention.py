"""Attention of a tensor to itself is made causal."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        scores = torch.einsum("nlhd,nshd->nhls", q, k) / self.head_dim**0.5
        if Q is K:
            scores = scores + torch.full(scores.shape[-2:], -torch.inf).triu(1).to(scores)
        return self.W_o(torch.einsum("nhls,nshd->nlhd", scores.softmax(-1), v).flatten(2))
