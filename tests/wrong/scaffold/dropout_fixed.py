"""The dropout is 0.1 whatever the configuration says."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.dropout = nn.Dropout(0.1)
