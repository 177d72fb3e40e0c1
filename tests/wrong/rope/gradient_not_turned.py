"""The rotation is detached: the gradient reaches x unturned."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return x + (right(x, positions, base) - x).detach()
