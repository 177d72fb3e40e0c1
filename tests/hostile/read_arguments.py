"""Looks for paths in its command line, as Python and as the interpreter keeps it."""

BESIDE = "right"
WALL = "process"
FINDS_NOTHING = True

import sys

if any(sys.argv + sys.orig_argv) or "{root}" in sys.path or "{folder}" in sys.path:
    print("GOT", sys.argv, sys.orig_argv, sys.path)
