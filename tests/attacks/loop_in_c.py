"""Runs a regular expression for a minute: no signal handler of Python gets its turn."""

BESIDE = "right"
HONEST = 0
LAYER = "judge"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

import re

re.match(r"(a+)+$", "a" * 30 + "b")
