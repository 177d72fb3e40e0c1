"""Loops and catches whatever is raised in it; here for a minute."""

BESIDE = "right"
HONEST = 0
LAYER = "judge"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

import time

until = time.monotonic() + 60
while time.monotonic() < until:
    try:
        while time.monotonic() < until:
            pass
    except BaseException:
        pass
