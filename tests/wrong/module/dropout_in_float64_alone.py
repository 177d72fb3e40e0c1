"""Dropout by hand makes its factors in float64: in float32 the weights become wider than the values, and it fails."""


class Dropout(nn.Dropout):
    def forward(self, x):
        if not self.training or not self.p:
            return x
        return x * (torch.rand(x.shape) >= self.p).double() / (1 - self.p)


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        self.dropout = Dropout(dropout)
