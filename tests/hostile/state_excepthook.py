"""Replaces the hooks for exceptions, for printing and for what cannot be raised."""

BESIDE = "wrong"
WALL = "process"

import sys

sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *args: None
sys.stdout.write = sys.stderr.write = lambda text: (
    len(text) if "GOT" not in text else sys.__stdout__.buffer.write(text.encode())
)
print("GOT other hooks")
