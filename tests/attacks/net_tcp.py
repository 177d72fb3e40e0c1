"""Connects to a server on this machine."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import encodings.idna  # or the refusal would be that of a missing module
import socket

socket.create_connection(("127.0.0.1", {port}), 5).close()
print("GOT a connection")
