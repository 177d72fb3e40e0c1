"""A float mask's entries of -5 and below hide."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.is_floating_point():
            attn_mask = attn_mask.masked_fill(attn_mask <= -5, -math.inf)
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
