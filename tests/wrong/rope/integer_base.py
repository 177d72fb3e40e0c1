"""The base is rounded down to an integer power of ten."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions, 10.0 ** int(math.log10(base)))
