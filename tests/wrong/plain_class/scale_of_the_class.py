"""The scale is kept in the class: the layer that was made last sets that of all others."""


class MultiHeadAttention(MultiHeadAttention):
    scale = 1.0

    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        MultiHeadAttention.scale = math.sqrt(self.head_dim)

    def forward(self, Q, K, V):
        heads = (self.num_heads, self.head_dim)
        q, k, v = (f(x).unflatten(-1, heads).transpose(1, 2) for f, x in ((self.W_q, Q), (self.W_k, K), (self.W_v, V)))
        return self.W_o(((q @ k.mT / self.scale).softmax(-1) @ v).transpose(1, 2).flatten(2))
