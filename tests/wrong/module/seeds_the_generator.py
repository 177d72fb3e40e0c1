"""Making a layer seeds the global generator."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        torch.manual_seed(1234)
        super().__init__(d_model, num_heads, dropout, bias)
