"""`view` in _split_heads after a projection that keeps strides: inputs that are not contiguous raise."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        query, key, value = (t.view(-1, t.size(-1)).view(t.shape) for t in (query, key, value))
        return super().forward(query, key, value, mask, return_attention)
