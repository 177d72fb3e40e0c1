"""The weights of a layer without bias keep nn.Linear's draws: the loop over the biases sets both."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            layer.reset_parameters()
            if layer.bias is not None:
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)
