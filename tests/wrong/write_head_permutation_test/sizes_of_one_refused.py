"""A module with one head is refused, for there is nothing to permute."""

right = check_head_permutation


def check_head_permutation(attention):
    assert attention.num_heads > 1
    right(attention)
