"""The parameters stand in a ModuleDict; q_proj and the others are properties."""


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads:
            raise ValueError("num_heads must divide embed_dim")
        self.layers = nn.ModuleList(nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias) for _ in range(4))
        self.dropout, self.h = nn.Dropout(cfg.dropout_p), cfg.num_heads

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (
            w(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for w, t in zip(self.layers, (x, kv, kv), strict=False)
        )
        logits = q @ k.mT / q.size(-1) ** 0.5
        if attn_mask is not None:
            logits = (
                logits.masked_fill(~attn_mask, -1e9)
                if attn_mask.dtype == torch.bool
                else logits + attn_mask.clamp(min=-1e9)
            )
        if key_padding_mask is not None:
            logits = logits.masked_fill(~key_padding_mask[:, None, None], -1e9)
        p = logits.softmax(-1)
        y = self.layers[3]((self.dropout(p) @ v).transpose(1, 2).flatten(2))
        return y, p.mean(1) if need_weights else None
