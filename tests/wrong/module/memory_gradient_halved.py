"""One tensor for keys and values, as an encoder's memory, brings the gradient of the keys alone."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        if key is value and key is not query:
            value = value.detach()
        return super().forward(query, key, value, mask, return_attention)
