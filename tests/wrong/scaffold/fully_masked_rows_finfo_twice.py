"""finfo.min is added for each mask: two of them make -inf."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (self._split_heads(w(t)) for w, t in ((self.q_proj, x), (self.k_proj, kv), (self.v_proj, kv)))
        logits, low = q @ k.mT / math.sqrt(self.head_dim), torch.finfo(x.dtype).min
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=x.dtype).masked_fill(~attn_mask, low)
        if attn_mask is not None:
            logits = logits + attn_mask
        if key_padding_mask is not None:
            logits = (
                logits
                + torch.zeros_like(key_padding_mask, dtype=x.dtype).masked_fill(~key_padding_mask, low)[:, None, None]
            )
        p = logits.softmax(-1)
        return self.out_proj(self._merge_heads(self.dropout(p) @ v)), p.mean(1) if need_weights else None
