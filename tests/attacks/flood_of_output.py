"""Prints without end; here 32 MiB, of which 1 is allowed."""

BESIDE = "right"
HONEST = 0
LAYER = "judge"
OUTCOME = "crash"
SAYS = "printed more than 1 MiB"

for _ in range(32):
    print("x" * (1 << 20))
