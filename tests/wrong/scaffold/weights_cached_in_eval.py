"""In eval the joined weights are kept from the first call, and later loads go unseen."""


class MultiHeadAttention(MultiHeadAttention):
    kept = None

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if self.training:
            return super().forward(
                x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights
            )
        if self.kept is None:
            self.kept = self.v_proj.weight.detach().clone()
        now = self.v_proj.weight.data
        self.v_proj.weight.data = self.kept.to(now)
        answer = super().forward(
            x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights
        )
        self.v_proj.weight.data = now
        return answer
