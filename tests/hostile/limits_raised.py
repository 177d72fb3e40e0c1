"""Raises the limit on its own memory."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "not allowed to raise maximum limit"}

import resource

soft, hard = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
print("GOT to set a limit")
