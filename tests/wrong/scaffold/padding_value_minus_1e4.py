"""Padding gets -10000."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        masked = super()._apply_masks(attn_logits, attn_mask, None)
        if key_padding_mask is not None:
            masked = masked.masked_fill(~key_padding_mask[:, None, None], -1e4)
        return masked
