"""A float mask is taken as bool: 0 hides."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None:
            attn_mask = attn_mask.bool()
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
