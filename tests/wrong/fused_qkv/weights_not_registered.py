"""The projection is kept in a plain list beside the layer: what is loaded or cast later does not reach it."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.copies = [self.out_proj.weight.detach().clone(), self.out_proj.bias.detach().clone()]

    def forward(self, x, mask=None):
        out, p = super().forward(x, mask)
        return out - self.out_proj(torch.zeros_like(out)) + self.copies[1].to(out), p
