"""`view` on the mask: an expanded or transposed one raises."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None:
            attn_mask = attn_mask.view(-1).view(attn_mask.shape)
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
