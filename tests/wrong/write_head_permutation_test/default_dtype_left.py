"""The default dtype is left at float64."""

right = check_head_permutation


def check_head_permutation(attention):
    try:
        right(attention)
    finally:
        torch.set_default_dtype(torch.float64)
