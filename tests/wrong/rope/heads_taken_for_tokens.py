"""Tokens stand before heads where queries and keys are turned: each head is turned by its number."""


class RotaryMultiHeadAttention(RotaryMultiHeadAttention):
    def forward(self, x, mask=None, positions=None):
        q, k, v = (layer(x).unflatten(-1, (self.num_heads, -1)) for layer in (self.W_Q, self.W_K, self.W_V))
        q, k = (apply_rope(each, torch.arange(self.num_heads), self.base).transpose(1, 2) for each in (q, k))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        hidden = torch.zeros((), dtype=torch.bool) if mask is None else mask == 0
        weights = scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(hidden, 0.0)
        return self.W_O((weights @ v.transpose(1, 2)).transpose(1, 2).flatten(2)), weights
