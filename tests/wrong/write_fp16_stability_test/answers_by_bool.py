"""False is returned where AssertionError is asked for."""

right = check_fp16_stability


def check_fp16_stability(attention):
    try:
        right(attention)
    except AssertionError:
        return False
    return True
