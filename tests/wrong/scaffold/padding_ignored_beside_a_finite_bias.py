"""Beside a float mask without -inf the padding is ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.is_floating_point() and not attn_mask.isneginf().any():
            key_padding_mask = None
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
