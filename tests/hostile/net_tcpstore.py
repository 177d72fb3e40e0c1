"""Serves on loopback by torch's own C++ server, and where that is refused connects by its client, which says why."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import socket
from datetime import timedelta

import torch.distributed


def store(port, **server):
    seconds = timedelta(seconds=2)  # and the sockets of its own, not those of libuv, which fails before it asks for one
    return torch.distributed.TCPStore(
        "127.0.0.1", port, timeout=seconds, wait_for_workers=False, use_libuv=False, **server
    )


try:
    listening = socket.create_server(("127.0.0.1", 0))  # one that torch makes would listen to the whole network
except OSError:
    store({port})
else:
    server = store(listening.getsockname()[1], is_master=True, master_listen_fd=listening.detach())
    print("GOT a server on port", server.port)
