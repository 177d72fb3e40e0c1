"""The module itself is cast, not a copy."""

right = check_head_permutation


def check_head_permutation(attention):
    right(attention)
    attention.double()
