"""Ignores every signal that it may ignore, then loops in each call; here for a minute in all."""

BESIDE = "right"
HONEST = 0
LAYER = "judge"
VERDICTS = ("timeout",)
SAYS = "took longer than 1 s"
BRIEF = True

import signal
import time

until = time.monotonic() + 60
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        continue


def scaled_dot_product_attention(q, k, v, mask=None):
    while time.monotonic() < until:
        pass
