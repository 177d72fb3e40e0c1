"""With an attn_mask [B, 1, T, S] the padding is taken to be in it already."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.dim() == 4:
            key_padding_mask = None
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
