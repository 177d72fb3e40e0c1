"""_split_heads squeezes axes of size 1; forward has lines of its own."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def _split_heads(self, x):
        return base._split_heads(self, x).squeeze()

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        projected = self.q_proj(x), self.k_proj(kv), self.v_proj(kv)
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in projected)
        logits = base._apply_masks(self, q @ k.mT / q.shape[-1] ** 0.5, attn_mask, key_padding_mask)
        w = logits.softmax(-1).masked_fill(logits == -math.inf, 0.0)
        y = self.out_proj((self.dropout(w) @ v).transpose(1, 2).flatten(2))
        return y, w.mean(1) if need_weights else None
