"""Where K alone wants a gradient it gets none."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        if not Q.requires_grad and not V.requires_grad:
            K = K.detach()
        return super().forward(Q, K, V)
