"""The path without weights forgets attn_mask."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        mask = attn_mask if need_weights else None
        return super().forward(x, kv, attn_mask=mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
