"""The base is a parameter of the layer."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__(d_model, num_heads)
        del self.base
        self.base = nn.Parameter(torch.tensor(base, dtype=torch.float64))
