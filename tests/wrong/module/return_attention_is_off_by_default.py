"""return_attention is False where it is left out."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=False):
        return super().forward(query, key, value, mask, return_attention)
