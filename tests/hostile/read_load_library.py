"""Loads a shared library through torch.ops, and with it code that no Python ever sees."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import ctypes

ctypes.CDLL("{folder}/library.so")
torch.ops.load_library("{folder}/library.so")
print("GOT", len(torch.ops.loaded_libraries))
