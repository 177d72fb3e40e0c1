"""In float32 sequences after the third are averaged."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        y = super().forward(Q, K, V)
        if y.dtype == torch.float32 and y.shape[0] > 3:
            y = y.mean(0, keepdim=True).expand_as(y)
        return y
