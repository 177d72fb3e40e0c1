"""What the attention raises is let through."""

right = check_fp16_stability


def check_fp16_stability(attention):
    try:
        right(attention)
    except AssertionError as refusal:
        raise (refusal.__cause__ or refusal) from None
