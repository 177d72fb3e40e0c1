"""In self-attention a query sees the 48 nearest keys."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        places = torch.arange(x.size(1))
        if kv is None and attn_mask is None and len(places) > 48:
            attn_mask = (places - places[:, None]).abs() <= 48
        return super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
