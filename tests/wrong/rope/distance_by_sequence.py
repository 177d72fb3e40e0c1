"""Positions [B, L] are averaged over the batch."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions.double().mean(0) if positions.dim() == 2 else positions, base)
