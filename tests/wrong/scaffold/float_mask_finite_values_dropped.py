"""A float mask that has -inf in it loses its finite values."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.is_floating_point() and attn_mask.isneginf().any():
            attn_mask = attn_mask != -math.inf
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
