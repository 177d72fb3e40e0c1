"""A float mask is subtracted."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.is_floating_point():
            attn_mask = torch.where(attn_mask == -math.inf, attn_mask, -attn_mask)
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
