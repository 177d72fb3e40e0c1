"""Padding is counted and cut from the right."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if key_padding_mask is not None:
            places = torch.arange(key_padding_mask.size(1))
            key_padding_mask = places < key_padding_mask.sum(1, keepdim=True)
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
