"""A hook doubles the gradient of W_o's input."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)) for w, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        p = (torch.einsum("nlhd,nshd->nhls", q, k) / self.head_dim**0.5).softmax(-1)
        merged = torch.einsum("nhls,nshd->nlhd", p, v).flatten(2)
        if merged.requires_grad:
            merged.register_hook(lambda gradient: 2 * gradient)
        return self.W_o(merged)
