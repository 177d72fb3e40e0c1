"""Lengths and bytes are sorted each for itself before the fit."""

fitted = growth_exponent


def growth_exponent(rows):
    return fitted(list(zip(*(sorted(column) for column in zip(*rows, strict=True)), strict=True)))
