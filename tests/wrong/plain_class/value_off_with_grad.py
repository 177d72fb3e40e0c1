"""With gradients on, a constant is added to the output."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        y = super().forward(Q, K, V)
        if torch.is_grad_enabled():
            y = y + 0.01
        return y
