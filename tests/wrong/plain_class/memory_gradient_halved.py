"""Of one tensor for keys and values, as an encoder's memory, the values bring no gradient."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        return super().forward(Q, K, V.detach() if K is V and K is not Q else V)
