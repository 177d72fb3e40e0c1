"""A dropout below 0.2 is ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.dropout = nn.Dropout(cfg.dropout_p if cfg.dropout_p >= 0.2 else 0.0)
