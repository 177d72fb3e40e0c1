"""Loops and catches whatever is raised in it."""

BESIDE = "right"
HONEST = 0
WALL = "judge"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

while True:
    try:
        while True:
            pass
    except BaseException:
        pass
