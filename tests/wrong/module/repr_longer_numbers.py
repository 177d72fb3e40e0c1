"""extra_repr names ten times the size."""


class MultiHeadAttention(MultiHeadAttention):
    def extra_repr(self):
        return super().extra_repr().replace("d_model=18", "d_model=180")
