"""A single query, as in decoding step by step, sees everything."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_logits.size(-2) == 1:
            return attn_logits
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
