"""Sends a datagram, which Landlock lets through."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import socket

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    print("GOT", sender.sendto(b"x", ("127.0.0.1", {port})))
