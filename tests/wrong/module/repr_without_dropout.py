"""extra_repr leaves the dropout out."""


class MultiHeadAttention(MultiHeadAttention):
    def extra_repr(self):
        return f"d_model={self.W_O.in_features}, num_heads={self.num_heads}, bias={self.W_O.bias is not None}"
