"""The three weights are joined when the layer is made: later changes of them go unseen."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.keys_and_values = torch.cat([self.W_k.weight, self.W_v.weight]).detach()

    def forward(self, Q, K, V):
        w_k, w_v = self.keys_and_values.to(Q).chunk(2)
        q, k, v = self.W_q(Q), K @ w_k.T + self.W_k.bias, V @ w_v.T + self.W_v.bias
        q, k, v = (x.unflatten(-1, (self.num_heads, -1)) for x in (q, k, v))
        p = (torch.einsum("nlhd,nshd->nhls", q, k) / self.head_dim**0.5).softmax(-1)
        return self.W_o(torch.einsum("nhls,nshd->nlhd", p, v).flatten(2))
