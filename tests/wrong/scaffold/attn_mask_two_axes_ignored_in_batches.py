"""attn_mask [T, S] is used for the first sequence only."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.dim() == 2 and attn_mask.dtype == torch.bool:
            attn_mask = attn_mask.expand(len(attn_logits), 1, -1, -1).clone()
            attn_mask[1:] = True
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
