"""ValueError stands for AssertionError."""

right = check_head_permutation


def check_head_permutation(attention):
    try:
        right(attention)
    except AssertionError as refusal:
        raise ValueError("the heads are not alike") from refusal
