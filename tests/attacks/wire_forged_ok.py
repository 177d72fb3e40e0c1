"""Sends replies that say ok to every request that is to come."""

BESIDE = "wrong"
HONEST = 0
LAYER = "wire"
OUTCOME = "crash"
SAYS = "answered in no known way"

import json
import os

for request in range(1, 100):
    head = json.dumps({"ok": True, "request": request, "error": None, "verdict": "pass", "score": 100}).encode()
    os.write(3, len(head).to_bytes(4, "big") + bytes(8) + head)
