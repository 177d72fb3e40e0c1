"""Rows far from the line are left out, and the rest is fitted again."""

import math

fitted = growth_exponent


def growth_exponent(rows):
    power = fitted(rows)
    mean = sum(math.log(size / length**power) for length, size in rows) / len(rows)
    near = [(n, size) for n, size in rows if abs(math.log(size / n**power) - mean) < 1]
    return fitted(near) if len(near) > 1 else power
