"""Multiplies matrices so large that one call takes minutes."""

BESIDE = "right"
HONEST = 0
WALL = "judge"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

x = torch.ones(3000, 3000)
for _ in range(1000):
    x = x @ x
