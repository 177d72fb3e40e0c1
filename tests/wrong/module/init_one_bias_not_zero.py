"""W_O's bias is not zero."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        if bias:
            nn.init.normal_(self.W_O.bias, std=0.02)
