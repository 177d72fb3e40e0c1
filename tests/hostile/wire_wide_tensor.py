"""Sends the description of a tensor of no elements with sizes that overflow."""

BESIDE = "right"
HONEST = 0
WALL = "wire"
OUTCOME = "crash"
SAYS = "over the limit"

import os

head = b'{"ok":true,"request":2,"tensors":[{"dtype":"float32","shape":[0,9223372036854775807,9223372036854775807]}]}'
os.write(3, len(head).to_bytes(4, "big") + bytes(8) + head)
