"""In bfloat16 padding is ignored."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if x.dtype == torch.bfloat16:
            key_padding_mask = None
        y, w = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        return y, w
