"""The frequencies of the first call are used in all that follow."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    known = vars(apply_rope).setdefault("known", base)
    return right(x, positions, known)
