"""Ends its process with status 0 while it is loaded, past every handler."""

BESIDE = "wrong"
HONEST = 0
WALL = "process"
OUTCOME = "crash"
SAYS = "exit status 0"

import os

os._exit(0)
