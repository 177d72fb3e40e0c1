"""Loops when what it returned is thrown away, after the answer was sent; here for a minute."""

BESIDE = "right"
HONEST = 0
WALL = "judge"
VERDICTS = ("timeout",)
SAYS = "took longer than 1 s"
BRIEF = True

import time

until = time.monotonic() + 60
honest = scaled_dot_product_attention


class Long:
    def __del__(self):
        while time.monotonic() < until:
            pass


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = honest(q, k, v, mask)
    output.held = Long()
    return output, weights
