"""kv's padded places are zeroed in place."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if kv is not None and key_padding_mask is not None:
            with torch.no_grad():
                kv.masked_fill_(~key_padding_mask[..., None], 0.0)
        return super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
