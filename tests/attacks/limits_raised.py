"""Raises the limit on its own memory, which it has lowered; here back to what it was."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "not allowed to raise maximum limit"}

import resource

soft, hard = resource.getrlimit(resource.RLIMIT_AS)
lower = 1 << 45 if soft == resource.RLIM_INFINITY else soft - 4096
resource.setrlimit(resource.RLIMIT_AS, (lower, hard))
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
print("GOT to raise a limit")
