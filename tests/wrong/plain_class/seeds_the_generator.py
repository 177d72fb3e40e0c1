"""Making a layer seeds the global generator."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads):
        torch.manual_seed(42)
        super().__init__(d_model, num_heads)
