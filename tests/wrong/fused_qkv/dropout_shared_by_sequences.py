"""All sequences of a batch drop the same weights."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.qkv_proj(x).chunk(3, -1))
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        dropped = p * self.dropout(torch.ones_like(p[:1]))
        return self.out_proj((dropped @ v).transpose(1, 2).flatten(2)), p
