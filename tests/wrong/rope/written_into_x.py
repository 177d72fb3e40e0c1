"""The result is written into x."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return x.copy_(right(x, positions, base))
