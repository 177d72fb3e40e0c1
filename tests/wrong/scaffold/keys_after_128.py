"""Keys after the 128th are hidden."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        masked = super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
        return masked.masked_fill(torch.arange(masked.size(-1)) >= 128, -math.inf)
