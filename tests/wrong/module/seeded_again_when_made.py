"""Making a layer seeds the generator anew with the seed that it has: all layers of a model start alike."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        torch.manual_seed(torch.initial_seed())
        super().__init__(d_model, num_heads, dropout, bias)
