"""Positions past 63 are taken for 63, as where a table of 64 rows is clamped."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions.clamp(max=63), base)
