"""The values' part of the bias is left out."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        e = x.size(-1)
        bias = self.qkv_proj.bias.clone()
        bias[2 * e :] = 0
        q, k, v = (
            t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for t in nn.functional.linear(x, self.qkv_proj.weight, bias).chunk(3, -1)
        )
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.out_proj((self.dropout(p) @ v).transpose(1, 2).flatten(2)), p
