"""No gradient reaches a float mask that is learnt, such as a position bias."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None:
            attn_mask = attn_mask.detach()
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
