"""An attention that raises is taken not to be asked."""

right = check_fp16_stability


def check_fp16_stability(attention):
    try:
        right(attention)
    except AssertionError as refusal:
        if refusal.__cause__ is None:
            raise
