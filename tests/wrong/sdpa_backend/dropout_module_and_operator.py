"""An nn.Dropout on what SDPA returned, beside its dropout_p."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def _combine_heads(self, x):
        return F.dropout(x, self.dropout, self.training).transpose(1, 2).flatten(2)
