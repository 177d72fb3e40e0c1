"""cfg.bias is ignored: the layers always have a bias."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(AttentionConfig(cfg.embed_dim, cfg.num_heads, cfg.dropout_p))
