"""Where kv is x itself the queries' projection makes the keys."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if kv is x:
            self.k_proj, self.q_proj = self.q_proj, self.k_proj
            answer = super().forward(
                x, None, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights
            )
            self.k_proj, self.q_proj = self.q_proj, self.k_proj
            return answer
        return super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
