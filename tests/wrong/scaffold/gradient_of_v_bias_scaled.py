"""The gradient of v_proj's bias is doubled by a hook."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        if cfg.bias:
            self.v_proj.bias.register_hook(lambda gradient: 2 * gradient)
