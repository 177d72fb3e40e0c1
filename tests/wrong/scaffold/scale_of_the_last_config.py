"""The scale is taken from a global configuration, which the layer that was made last has set."""

made = []


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.size = cfg
        made.append(cfg)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        sizes = [cfg.embed_dim // cfg.num_heads for cfg in (self.size, made[-1])]
        return super()._apply_masks(attn_logits * math.sqrt(sizes[0] / sizes[1]), attn_mask, key_padding_mask)
