"""Announces a reply of 16 exabytes, for which the judge would make room."""

BESIDE = "right"
HONEST = 0
LAYER = "wire"
OUTCOME = "crash"
SAYS = "the tensors would take"

import os

os.write(3, (100).to_bytes(4, "big") + (2**64 - 1).to_bytes(8, "big"))
