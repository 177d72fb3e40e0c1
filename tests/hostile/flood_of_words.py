"""Raises exceptions whose message, name and class are megabytes long."""

BESIDE = "wrong"
HONEST = 0
WALL = "judge"
VERDICTS = ("error",)
SAYS = "xxxxxxxx"

Long = type("x" * 3_000_000, (Exception,), {})


def scaled_dot_product_attention(q, k, v, mask=None):
    raise Long("x" * 3_000_000)
