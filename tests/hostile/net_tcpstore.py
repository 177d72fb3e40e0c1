"""Waits for connections by torch's own C++ server, and where it is refused connects by its client, which says why."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

from datetime import timedelta

import torch.distributed


def store(port, server):
    seconds = timedelta(seconds=2)  # and the sockets of its own, not those of libuv, which fails before it asks for one
    return torch.distributed.TCPStore("127.0.0.1", port, None, server, seconds, wait_for_workers=False, use_libuv=False)


try:
    print("GOT a server on port", store(0, True).port)
except RuntimeError:
    store({port}, False)
