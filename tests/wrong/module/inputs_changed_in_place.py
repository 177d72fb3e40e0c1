"""value is scaled in place in training."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        answer = super().forward(query, key, value, mask, return_attention)
        if self.training:
            with torch.no_grad():
                value.mul_(0.9)
        return answer
