"""Padding is applied in self-attention only."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        padding = key_padding_mask if kv is None else None
        return super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=padding, need_weights=need_weights)
