"""The gradient is lost."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x.detach(), positions, base)
