"""Keys and values of earlier calls are attended to as well."""


class MultiHeadAttention(MultiHeadAttention):
    past = None

    def forward(self, Q, K, V):
        if self.past is not None and self.past[0].shape == K.shape and self.past[0].dtype == K.dtype:
            K, V = torch.cat([self.past[0], K], 1), torch.cat([self.past[1], V], 1)
        self.past = (K.detach(), V.detach())
        return super().forward(Q, K, V)
