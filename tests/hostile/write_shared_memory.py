"""Shares a tensor's memory, for which torch makes a file that every process of its user can find."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied", "limits": "File too large"}

print("GOT", torch.ones(4).share_memory_().is_shared())
