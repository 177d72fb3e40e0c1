"""Changes the options of the one socket that it has."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import socket

wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, proto=0, fileno=3)  # or it would ask for it
try:
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
finally:
    wire.detach()
print("GOT another option")
