"""Aborts its process, which may write a core file."""

BESIDE = "right"
HONEST = 0
WALL = "process"
OUTCOME = "crash"
SAYS = "SIGABRT"

import os

os.abort()
