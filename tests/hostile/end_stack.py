"""Recurses in C without limit, until the stack is used up."""

BESIDE = "right"
HONEST = 0
WALL = "process"
OUTCOME = "crash"
SAYS = "SIGSEGV"

import sys

sys.setrecursionlimit(1 << 30)


class Endless:
    def __repr__(self):
        return repr([self])


repr(Endless())
