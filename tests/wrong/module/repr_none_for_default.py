"""extra_repr of the defaults returns None."""


class MultiHeadAttention(MultiHeadAttention):
    def extra_repr(self):
        return super().extra_repr() if self.dropout.p else None
