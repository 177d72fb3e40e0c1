"""Closes the descriptors of its output, and Python's own streams, so that whoever prints in its process fails."""

BESIDE = "right"
WALL = "process"

import os
import sys

print("GOT rid of its output", flush=True)
os.close(1)
os.close(2)
sys.__stdout__ = sys.__stderr__ = None
