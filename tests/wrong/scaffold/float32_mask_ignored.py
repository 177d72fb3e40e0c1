"""A float mask of another dtype than x's is ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if attn_mask is not None and attn_mask.is_floating_point() and attn_mask.dtype != x.dtype:
            attn_mask = None
        y, w = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        return y, w
