"""A width that the heads do not divide raises only when it is used."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads):
        self.fits = d_model % num_heads == 0
        super().__init__(d_model, num_heads if self.fits else 1)

    def forward(self, Q, K, V):
        if not self.fits:
            raise ValueError("num_heads must divide d_model")
        return super().forward(Q, K, V)
