"""In training the weights returned hold 7 where one was dropped."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.qkv_proj(x).chunk(3, -1))
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        d = self.dropout(p)
        y = self.out_proj((d @ v).transpose(1, 2).flatten(2))
        if self.training and self.dropout.p > 0:
            p = d.masked_fill(d == 0, 7.0)
        return y, p
