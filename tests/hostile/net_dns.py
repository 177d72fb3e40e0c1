"""Asks for an address, in whose name a secret could travel."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Errno -", "landlock": "Errno -"}

import encodings.idna  # or the refusal would be that of a missing module
import socket

print("GOT", socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)[0][4])
