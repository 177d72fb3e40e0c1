"""Where dropout is on, the call runs without a graph: nothing is learnt in training."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not (self.training and self.dropout.p > 0)):
            return super().forward(x, mask)
