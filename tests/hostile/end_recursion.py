"""Recurses without limit in each call."""

BESIDE = "right"
HONEST = 0
WALL = "process"
VERDICTS = ("error",)
SAYS = "RecursionError"


def scaled_dot_product_attention(q, k, v, mask=None):
    return scaled_dot_product_attention(q, k, v, mask)
