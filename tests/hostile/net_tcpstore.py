"""Connects by torch's own C++ client."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Failed to init uv loop", "landlock": "code: -13"}

from datetime import timedelta

import torch.distributed

store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=timedelta(seconds=2))
print("GOT a server on port", store.port)
