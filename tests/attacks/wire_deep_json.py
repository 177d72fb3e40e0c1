"""Sends JSON that is nested 100,000 deep, which a parser that recurses does not survive."""

BESIDE = "right"
HONEST = 0
LAYER = "wire"
OUTCOME = "crash"
SAYS = "nests deeper"

import os

head = b'{"ok":true,"request":1,"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
os.write(3, len(head).to_bytes(4, "big") + bytes(8) + head)
