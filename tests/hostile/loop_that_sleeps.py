"""Sleeps for a minute."""

BESIDE = "right"
HONEST = 0
WALL = "judge"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

import time

time.sleep(60)
