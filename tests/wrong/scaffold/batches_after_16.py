"""Sequences after the 16th are left out of the padding."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is not None and len(key_padding_mask) > 16:
            key_padding_mask = torch.cat([key_padding_mask[:16], torch.ones_like(key_padding_mask[16:])])
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
