"""Without need_weights a mask [B, 1, T, S] is cut to its first sequence."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if attn_mask is not None and attn_mask.dim() == 4 and not need_weights:
            attn_mask = attn_mask[:1]
        y, w = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        return y, w
