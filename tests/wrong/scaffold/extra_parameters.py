"""A relative position bias that starts at zero is learnt besides."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.position = nn.Parameter(torch.zeros(cfg.num_heads, 64))

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        distance = (
            (torch.arange(attn_logits.size(-2))[:, None] - torch.arange(attn_logits.size(-1))).abs().clamp(max=63)
        )
        return super()._apply_masks(
            attn_logits + self.position[:, distance].to(attn_logits), attn_mask, key_padding_mask
        )
