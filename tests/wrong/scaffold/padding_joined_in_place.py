"""The padding is written into attn_mask [B, 1, T, S] in place."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        masked = super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
        if (
            attn_mask is not None
            and attn_mask.dtype == torch.bool
            and key_padding_mask is not None
            and attn_mask.dim() == 4
        ):
            attn_mask &= key_padding_mask[:, None, None]
        return masked
