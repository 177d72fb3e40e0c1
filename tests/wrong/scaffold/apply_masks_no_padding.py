"""_apply_masks fails where there is no padding mask; forward always gives one."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -math.inf)
        return super()._apply_masks(attn_logits, attn_mask, None)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if key_padding_mask is None:
            key_padding_mask = torch.ones((x if kv is None else kv).shape[:2], dtype=torch.bool)
        y, w = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        return y, w
