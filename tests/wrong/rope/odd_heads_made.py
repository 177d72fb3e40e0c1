"""An odd size is refused by the function, not by the constructor."""

right = RotaryMultiHeadAttention


class RotaryMultiHeadAttention(right):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__(d_model, num_heads if d_model // num_heads % 2 == 0 else d_model // 2, base)
