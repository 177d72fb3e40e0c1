"""With gradients on, the weights returned are uniform."""

base = MultiHeadAttention


class MultiHeadAttention(base):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        y, w = super().forward(x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights)
        w = w if w is None or not torch.is_grad_enabled() else torch.full_like(w, 1 / w.shape[-1])
        return y, w
