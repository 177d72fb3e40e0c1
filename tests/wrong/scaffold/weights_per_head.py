"""The weights are returned for each head."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (self._split_heads(w(t)) for w, t in ((self.q_proj, x), (self.k_proj, kv), (self.v_proj, kv)))
        logits = self._apply_masks(q @ k.mT / math.sqrt(self.head_dim), attn_mask, key_padding_mask)
        p = logits.clamp(min=-1e9).softmax(-1)
        return self.out_proj(self._merge_heads(self.dropout(p) @ v)), p if need_weights else None
