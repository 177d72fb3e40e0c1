"""Waits for connections from outside."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import socket

with socket.socket() as server:
    server.bind(("127.0.0.1", 0))
    server.listen()
    print("GOT", server.getsockname())
