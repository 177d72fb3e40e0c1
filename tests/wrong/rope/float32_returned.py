"""What is returned is float32."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions, base).float()
