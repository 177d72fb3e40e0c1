"""The module's parameters want no gradient any more."""

right = check_head_permutation


def check_head_permutation(attention):
    right(attention.requires_grad_(False))
