"""Positions are taken modulo 65536."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions % 65536, base)
