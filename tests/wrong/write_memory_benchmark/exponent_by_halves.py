"""The exponent is 1 or 2, whichever is nearer."""

fitted = growth_exponent


def growth_exponent(rows):
    return 1.0 if fitted(rows) < 1.5 else 2.0
