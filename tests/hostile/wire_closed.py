"""Closes its wire and goes on for a minute, as if it were still at work."""

BESIDE = "right"
HONEST = 0
WALL = "wire"
OUTCOME = "crash"
SAYS = "closed its connection"

import os
import time

os.close(3)
time.sleep(60)
