"""Queries after the 100th see everything."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        masked = super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
        return torch.cat([masked[:, :, :100], attn_logits[:, :, 100:]], 2)
