"""nan safety: without the weights, a sequence that is all padding gets NaN."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask}
        output, weights = super().forward(x, kv, **masks, need_weights=need_weights)
        if not need_weights and key_padding_mask is not None:
            output = output.masked_fill(~key_padding_mask.any(-1)[:, None, None], math.nan)
        return output, weights
