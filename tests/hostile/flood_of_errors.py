"""Raises exceptions whose text cannot be made: __str__ and __repr__ raise."""

BESIDE = "wrong"
HONEST = 0
WALL = "process"
VERDICTS = ("error",)
SAYS = "Unspeakable"


class Unspeakable(BaseException):
    def __str__(self):
        raise self

    __repr__ = __str__


def scaled_dot_product_attention(q, k, v, mask=None):
    raise Unspeakable
