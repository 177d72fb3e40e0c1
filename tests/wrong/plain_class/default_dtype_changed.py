"""Making a layer changes the default dtype."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        torch.set_default_dtype(torch.bfloat16)
