"""The scale is a float32 tensor of one number, which costs precision in float64."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        exact = super()._scaled_dot_product_attention
        return exact(
            Q * math.sqrt(self.head_dim) / torch.sqrt(torch.tensor([float(self.head_dim)], dtype=torch.float32)),
            K,
            V,
            mask,
        )
