"""Answers that it raised something, described by values of other types than the judge expects."""

BESIDE = "right"
HONEST = 0
WALL = "wire"
OUTCOME = "crash"

import json
import os
import sys

frame = sys._getframe()
while "head" not in frame.f_locals:
    frame = frame.f_back
text = json.dumps(
    {"ok": True, "request": frame.f_locals["head"]["request"], "error": {"type": 1, "frames": 7}}
).encode()
os.write(3, len(text).to_bytes(4, "big") + bytes(8) + text)
