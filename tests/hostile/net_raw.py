"""Opens a netlink socket, which lists the machine's interfaces."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import socket

with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0):
    print("GOT a socket")
