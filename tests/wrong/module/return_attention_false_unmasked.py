"""Without weights the mask is forgotten."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        return super().forward(query, key, value, mask if return_attention else None, return_attention)
