"""With dropout, the output of a training call is cut off from its graph."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, *args, **options):
        output, weights = super().forward(*args, **options)
        p = max(layer.p for layer in self.modules() if isinstance(layer, nn.Dropout))
        return (output.detach() if self.training and p > 0 else output), weights
