"""Where keys are not as many as queries, exp is taken of the scores themselves: it overflows."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        scores = torch.einsum("nlhd,nshd->nhls", q, k) / self.head_dim**0.5
        largest = 0.0 if K.size(1) != Q.size(1) else scores.amax(-1, keepdim=True)
        powers = (scores - largest).exp()
        p = powers / powers.sum(-1, keepdim=True)
        return self.W_o(torch.einsum("nhls,nshd->nlhd", p, v).flatten(2))
