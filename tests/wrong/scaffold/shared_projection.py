"""k_proj is q_proj."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.k_proj = self.q_proj
