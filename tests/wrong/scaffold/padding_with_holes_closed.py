"""Whatever lies between real keys counts as real."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is not None:
            from_left, from_right = key_padding_mask.cumsum(1) > 0, key_padding_mask.flip(1).cumsum(1).flip(1) > 0
            key_padding_mask = from_left & from_right
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
