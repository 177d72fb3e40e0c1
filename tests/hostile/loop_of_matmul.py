"""Multiplies matrices so large, of whole numbers, that the one call takes a minute."""

BESIDE = "right"
HONEST = 0
WALL = "judge"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

x = torch.ones(8000, 8000, dtype=torch.int8)
x @ x
