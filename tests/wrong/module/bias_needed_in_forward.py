"""forward reads the biases, which may be None."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        output, p = super().forward(query, key, value, mask, return_attention)
        return output + 0 * self.W_O.bias, p
