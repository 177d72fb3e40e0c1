"""A learnt temperature is added, which starts at 1."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, x, mask=None):
        return super().forward(x * self.temperature, mask)
