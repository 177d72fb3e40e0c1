"""The slope is that between the shortest and the longest length."""

import math


def growth_exponent(rows):
    (a, b), (c, d) = min(rows), max(rows)
    return math.log(d / b) / math.log(c / a)
