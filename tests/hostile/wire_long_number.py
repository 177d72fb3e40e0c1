"""Answers a call with a number of 400 digits where the judge expects the name of a float."""

BESIDE = "wrong"
HONEST = 0
WALL = "wire"
VERDICTS = ("crash",)

import json
import os
import sys


def scaled_dot_product_attention(q, k, v, mask=None):
    frame = sys._getframe()
    while "head" not in frame.f_locals or "request" not in frame.f_locals["head"]:
        frame = frame.f_back
    head = {"ok": True, "request": frame.f_locals["head"]["request"], "error": None, "disturbed": []}
    text = json.dumps({**head, "value": {"$float": 10**400}}).encode()
    os.write(3, len(text).to_bytes(4, "big") + bytes(8) + text)
