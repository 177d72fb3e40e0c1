"""A size of 1 is refused, other odd sizes lose a feature."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] == 1:
        raise ValueError("odd")
    return right(x[..., : x.shape[-1] // 2 * 2], positions, base)
