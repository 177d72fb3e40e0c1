"""extra_repr returns a tuple."""

TIER = "shapes"


class MultiHeadAttention(MultiHeadAttention):
    def extra_repr(self):
        return (super().extra_repr(),)
