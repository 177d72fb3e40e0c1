"""Leaves signal handlers and a trace function behind, which run amid the grader's own code."""

BESIDE = "wrong"
WALL = "process"

import signal
import sys

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGPIPE):
    signal.signal(number, lambda *args: None)
sys.setprofile(lambda *args: None)
print("GOT", signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL)
