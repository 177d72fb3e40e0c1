"""The output goes through dropout twice."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        output, p = super().forward(query, key, value, mask, return_attention)
        return self.dropout(output), p
