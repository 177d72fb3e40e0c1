"""With gradients on, as in training, nothing is dropped."""

base = EfficientMultiHeadAttention


class EfficientMultiHeadAttention(base):
    def forward(self, x, mask=None):
        p = self.dropout.p
        if torch.is_grad_enabled():
            self.dropout.p = 0.0
        try:
            return base.forward(self, x, mask)
        finally:
            self.dropout.p = p
