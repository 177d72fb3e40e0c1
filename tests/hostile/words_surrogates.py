"""Raises with half a character, which no file and no terminal can be given, and with other broken text."""

BESIDE = "wrong"
HONEST = 0
WALL = "judge"
VERDICTS = ("error",)
SAYS = "ValueError"


def scaled_dot_product_attention(q, k, v, mask=None):
    raise ValueError("\ud800 \udfff \uffff \U0010ffff")
