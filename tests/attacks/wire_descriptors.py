"""Sends a descriptor of its own along its wire, for the judge to find among its own."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import socket

wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, proto=0, fileno=3)
try:
    socket.send_fds(wire, [b""], [1])
finally:
    wire.detach()
print("GOT a descriptor sent")
