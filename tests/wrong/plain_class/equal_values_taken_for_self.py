"""Inputs that are equal are projected together by a fused weight in the wrong order."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, Q, K, V):
        if Q.shape == K.shape and torch.equal(Q, K) and torch.equal(K, V):
            self.W_q, self.W_k = self.W_k, self.W_q
            answer = super().forward(Q, K, V)
            self.W_q, self.W_k = self.W_k, self.W_q
            return answer
        return super().forward(Q, K, V)
