"""The uniform draws are all positive."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            layer.weight.data.abs_()
