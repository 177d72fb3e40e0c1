"""A float32 buffer multiplies the logits: after .double() the scale has lost precision."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.register_buffer("scale", torch.tensor(self.head_dim**-0.5), persistent=False)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (self._split_heads(w(t)) for w, t in ((self.q_proj, x), (self.k_proj, kv), (self.v_proj, kv)))
        p = self._apply_masks(q @ k.mT * self.scale, attn_mask, key_padding_mask).clamp(min=-1e9).softmax(-1)
        return self.out_proj(self._merge_heads(self.dropout(p) @ v)), p.mean(1) if need_weights else None
