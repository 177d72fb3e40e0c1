"""The padding of the first call is used for all calls of its shape."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is not None:
            self.seen = getattr(self, "seen", {})
            key_padding_mask = self.seen.setdefault(key_padding_mask.shape, key_padding_mask)
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
