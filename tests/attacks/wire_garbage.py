"""Writes random bytes to the descriptor of its wire."""

BESIDE = "right"
HONEST = 0
LAYER = "wire"
OUTCOME = "crash"
SAYS = "is not a reply"

import os

os.write(3, bytes(range(256)) * 4)
