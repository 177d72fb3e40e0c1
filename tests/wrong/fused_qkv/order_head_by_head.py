"""Each head takes its queries, keys and values from one slice, as GPT-NeoX lays them out."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        q, k, v = self.qkv_proj(x).unflatten(-1, (self.num_heads, 3, -1)).permute(3, 0, 2, 1, 4)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.out_proj((self.dropout(p) @ v).transpose(1, 2).flatten(2)), p
