"""The projection is a closure over the layer: a deep copy goes on using the original's weights."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.project = lambda x: self.qkv_proj(x).chunk(3, -1)

    def forward(self, x, mask=None):
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.project(x))
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.out_proj((self.dropout(p) @ v).transpose(1, 2).flatten(2)), p
