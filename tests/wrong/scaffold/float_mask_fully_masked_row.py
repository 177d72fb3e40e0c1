"""A float mask of -inf is added and NaN replaced after softmax: the gradient is NaN."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (self._split_heads(w(t)) for w, t in ((self.q_proj, x), (self.k_proj, kv), (self.v_proj, kv)))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        if attn_mask is not None and attn_mask.is_floating_point():
            scores, attn_mask = scores + attn_mask, None
        p = self._apply_masks(scores, attn_mask, key_padding_mask).softmax(-1).nan_to_num(0.0)
        return self.out_proj(self._merge_heads(self.dropout(p) @ v)), p.mean(1) if need_weights else None
