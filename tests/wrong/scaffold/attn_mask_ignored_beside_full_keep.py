"""With a padding mask that keeps every key the attention mask is ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is not None and key_padding_mask.all():
            attn_mask = None
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
