"""Features are multiplied by a factor that falls with the position."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions, base) * 0.999 ** positions[..., None, :, None]
