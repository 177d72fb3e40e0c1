"""The probability of dropout halves with each training call."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, *args, **options):
        answer = super().forward(*args, **options)
        for layer in self.modules():
            if isinstance(layer, nn.Dropout) and self.training:
                layer.p *= 0.5
        return answer
