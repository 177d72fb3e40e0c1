"""Sends a byte of a reply now and then, so that a limit on silence would never be met."""

BESIDE = "right"
HONEST = 0
WALL = "wire"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

import os
import time

for byte in (1000).to_bytes(4, "big") + bytes(8) + b" " * 1000:
    os.write(3, bytes([byte]))
    time.sleep(0.05)
