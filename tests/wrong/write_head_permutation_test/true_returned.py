"""True is returned of what is right, not None."""

right = check_head_permutation


def check_head_permutation(attention):
    right(attention)
    return True
