"""A gate of one number, which starts at 1, multiplies the output."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        self.gate = nn.Parameter(torch.ones(1))

    def forward(self, query, key, value, mask=None, return_attention=True):
        output, p = super().forward(query, key, value, mask, return_attention)
        return output * self.gate, p
