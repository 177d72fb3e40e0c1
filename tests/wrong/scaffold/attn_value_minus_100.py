"""What attn_mask hides gets -100."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_logits, attn_mask = attn_logits.masked_fill(~attn_mask, -100.0), None
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
