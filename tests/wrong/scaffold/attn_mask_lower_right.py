"""A causal attn_mask with S != T is moved to the lower right corner."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.dtype == torch.bool and attn_mask.dim() == 2:
            T, S = attn_mask.shape
            if T != S and torch.equal(attn_mask, causal_mask(T, S)):
                attn_mask = torch.ones_like(attn_mask).tril(S - T)
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)
