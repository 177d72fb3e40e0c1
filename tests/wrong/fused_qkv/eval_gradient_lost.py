"""In eval forward runs under no_grad."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        with torch.set_grad_enabled(self.training and torch.is_grad_enabled()):
            return super().forward(x, mask)
