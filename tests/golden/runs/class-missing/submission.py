"""A candidate's class and its method under names that are not the contract's."""

from torch import nn


class MultiHeadedAttention:
    def __init__(self, d_model, num_heads):
        self.W_q = nn.Linear(d_model, d_model)

    def call(self, Q, K, V):
        return self.W_q(Q)
