"""The frequencies are a buffer, which a layer in bfloat16 rounds."""


class RotaryMultiHeadAttention(RotaryMultiHeadAttention):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__(d_model, num_heads, base)
        size = d_model // num_heads
        self.register_buffer("frequencies", base ** (-torch.arange(0, size, 2, dtype=torch.float64) / size))

    def forward(self, x, mask=None, positions=None):
        places = torch.arange(x.shape[1]) if positions is None else positions
        angles = places[..., None, :, None] * self.frequencies
        q, k, v = (
            layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for layer in (self.W_Q, self.W_K, self.W_V)
        )
        q, k = (self.turned(each, angles.cos().to(x.dtype), angles.sin().to(x.dtype)) for each in (q, k))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        hidden = torch.zeros((), dtype=torch.bool) if mask is None else mask == 0
        weights = scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(hidden, 0.0)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights

    def turned(self, x, cos, sin):
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
