"""ValueError stands for AssertionError."""

right = check_fp16_stability


def check_fp16_stability(attention):
    try:
        right(attention)
    except AssertionError as refusal:
        raise ValueError("not stable") from refusal
