"""Two bool masks are joined with "or"."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.dtype == torch.bool and key_padding_mask is not None:
            attn_mask, key_padding_mask = attn_mask | key_padding_mask[:, None, None], None
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
