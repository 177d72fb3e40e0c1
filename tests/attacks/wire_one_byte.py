"""Sends one byte of a reply and then nothing, so that the judge waits for the rest."""

BESIDE = "right"
HONEST = 0
LAYER = "wire"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

import os
import time

os.write(3, b"\0")
time.sleep(60)
