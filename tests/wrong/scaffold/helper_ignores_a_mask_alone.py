"""_apply_masks looks at the attention mask beside a padding mask alone; forward always gives it one."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is None:
            return attn_logits
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if key_padding_mask is None:
            key_padding_mask = torch.ones((x if kv is None else kv).shape[:2], dtype=torch.bool)
        return super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
