"""The weights are returned always."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        return super().forward(query, key, value, mask)
