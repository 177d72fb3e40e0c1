"""With heads of more than 20 features and several heads the output is doubled."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        y, w = super().forward(query, key, value, mask, return_attention)
        if self.num_heads > 1 and y.shape[-1] // self.num_heads > 20 and self.num_heads not in (2, 3):
            y = 2 * y
        return y, w
