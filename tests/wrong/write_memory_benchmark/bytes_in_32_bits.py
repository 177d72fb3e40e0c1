"""Rows are kept in 32 bits, where large bytes wrap around."""

fitted = growth_exponent


def growth_exponent(rows):
    return fitted([(length, abs(size) % 2**31 + 1) for length, size in rows])
