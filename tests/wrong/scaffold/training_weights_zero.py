"""With dropout in training the weights returned are zeros."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        y, w = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        if w is not None and self.training and self.dropout.p > 0:
            w = torch.zeros_like(w)
        return y, w
