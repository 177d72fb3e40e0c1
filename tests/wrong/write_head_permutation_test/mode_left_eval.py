"""The module is left in eval mode."""

right = check_head_permutation


def check_head_permutation(attention):
    right(attention.eval())
