"""The dropout is kept and never used."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads)
