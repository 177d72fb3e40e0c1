"""Positions are sorted first."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions.sort(-1).values, base)
