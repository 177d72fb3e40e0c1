"""The weights are the softmax of the heads' mean score."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        y, p = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        if need_weights:
            keys = x if kv is None else kv
            scores = self.q_proj(x) @ self.k_proj(keys).mT / math.sqrt(self.head_dim) / self.num_heads
            p = self._apply_masks(scores[:, None], attn_mask, key_padding_mask).softmax(-1)[:, 0].nan_to_num(0.0)
        return y, p
