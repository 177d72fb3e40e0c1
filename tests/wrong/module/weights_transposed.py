"""The weights are transposed in self-attention."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        output, p = super().forward(query, key, value, mask, return_attention)
        return output, p.mT if p is not None and query is key else p
