"""Queries go through in chunks of 128; the last chunk is laid out one place too early."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        out = torch.zeros_like(Q)
        for start in range(0, Q.size(1), 128):
            chunk = super().forward(Q[:, start : start + 128], K, V)
            place = max(0, start - 1)
            out[:, place : place + chunk.size(1)] = chunk
        return out
