"""A single sequence is taken to have no padding."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is not None and len(key_padding_mask) == 1:
            key_padding_mask = None
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
