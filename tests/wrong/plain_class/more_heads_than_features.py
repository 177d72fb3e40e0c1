"""Only fewer heads than features are checked."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, min(num_heads, d_model))
