"""extra_repr says bias=True always."""


class MultiHeadAttention(MultiHeadAttention):
    def extra_repr(self):
        return f"d_model={self.W_O.in_features}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias=True"
