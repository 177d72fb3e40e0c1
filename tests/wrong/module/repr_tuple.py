"""extra_repr returns a tuple."""


class MultiHeadAttention(MultiHeadAttention):
    def extra_repr(self):
        return (super().extra_repr(),)
