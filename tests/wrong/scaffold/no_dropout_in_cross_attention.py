"""In cross-attention nothing is dropped."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        p = self.dropout.p
        if kv is not None:
            self.dropout.p = 0.0
        try:
            return base.forward(
                self, x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights
            )
        finally:
            self.dropout.p = p
