"""Connects to a unix socket that has no file."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Operation not permitted"}

import socket

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect("\0hostile-{judge}")
    print("GOT a connection")
