"""False is returned where AssertionError is asked for."""

right = check_head_permutation


def check_head_permutation(attention):
    try:
        right(attention)
    except AssertionError:
        return False
    return True
