"""The probability of dropout halves with each training call."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        answer = super().forward(x, mask)
        if self.training:
            self.dropout.p *= 0.5
        return answer
