"""With 7 heads the output is doubled."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        y = super().forward(Q, K, V)
        if self.num_heads == 7:
            y = 2 * y
        return y
