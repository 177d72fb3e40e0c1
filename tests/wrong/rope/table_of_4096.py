"""Positions past 4095 are taken for 4095."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions.clamp(max=4095), base)
