"""Makes the worker's note of forbidden operators a list of ten thousand, for a report that nobody can read."""

BESIDE = "wrong"
HONEST = 0
LAYER = "judge"
VERDICTS = ("policy",)

import sys

sys.modules["grader.worker.policy"].take_uses = lambda: ["F.softmax " * 10] * 9_000
