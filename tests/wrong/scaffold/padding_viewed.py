"""`view` on the padding mask: one that is not contiguous raises."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.view(-1).view(key_padding_mask.shape)
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
