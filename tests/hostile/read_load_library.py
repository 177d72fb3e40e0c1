"""Loads a shared library through torch.ops, and with it code that no Python ever sees."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

try:
    torch.ops.load_library("{folder}/library.so")
except OSError as told_without_its_reason:
    raise told_without_its_reason.__cause__ from None
print("GOT", len(torch.ops.loaded_libraries))
