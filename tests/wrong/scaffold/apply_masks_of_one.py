"""_apply_masks alone, with a float mask, does nothing; forward has its own."""


class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.is_floating_point() and not self.inside:
            return attn_logits
        return super()._apply_masks(attn_logits, attn_mask, key_padding_mask)

    inside = False

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        self.inside = True
        y, w = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        self.inside = False
        return y, w
