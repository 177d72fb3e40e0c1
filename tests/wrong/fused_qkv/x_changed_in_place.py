"""x is changed in place in eval."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        answer = super().forward(x, mask)
        if not self.training:
            with torch.no_grad():
                x.mul_(0.5)
        return answer
