"""Everything is refused."""


def check_fp16_stability(attention):
    raise AssertionError("half precision is never stable")
