"""Raises exceptions whose text cannot be made: __str__, __repr__ and the class's name raise or lie."""

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
