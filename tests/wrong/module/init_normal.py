"""Xavier's normal draws in place of the uniform ones."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_normal_(layer.weight)
