"""Position 0 is treated as position 1."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions.clamp(min=1), base)
