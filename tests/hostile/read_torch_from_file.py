"""Reads a file through torch.from_file, which no audit hook sees."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

print("GOT", torch.from_file("{folder}/numbers.bin", size=4).sum())
