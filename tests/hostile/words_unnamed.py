"""Raises exceptions of a class whose name cannot be asked for, so that its worker cannot tell what was raised."""

BESIDE = "wrong"
HONEST = 0
WALL = "judge"
VERDICTS = ("crash",)
SAYS = "answered in no known form"


class Kind(type):
    @property
    def __name__(cls):
        raise KeyError


class Unnamed(Exception, metaclass=Kind):
    pass


def scaled_dot_product_attention(q, k, v, mask=None):
    raise Unnamed
