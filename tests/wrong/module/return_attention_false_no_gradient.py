"""Without weights the keys carry no gradient."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        return super().forward(query, key if return_attention else key.detach(), value, mask, return_attention)
