"""Looks for every descriptor that it was left, in search of the judge's files and of the zygote's socket."""

BESIDE = "right"
WALL = "process"
FINDS_NOTHING = True

import os

for descriptor in range(64):
    if descriptor in (1, 2, 3):  # its output, and its wire, where it would wait for ever
        continue
    try:
        os.fstat(descriptor)
        read = os.read(descriptor, 100) if descriptor == 0 else b"open, be it a file or a socket"
    except OSError:
        continue
    if read:
        print("GOT", descriptor, read)
