"""A number is drawn and thrown away in each call: the global generator moves, in eval too."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        torch.rand(len(x))
        return super().forward(x, mask)
