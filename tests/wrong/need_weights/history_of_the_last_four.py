"""The weights of the last calls are kept in a deque."""

from collections import deque

right = MultiHeadAttention


class MultiHeadAttention(right):
    recent = deque(maxlen=4)

    def forward(self, query, key, value, mask=None, need_weights=True):
        output, weights = super().forward(query, key, value, mask)
        self.recent.append(weights.detach())
        return output, weights if need_weights else None
