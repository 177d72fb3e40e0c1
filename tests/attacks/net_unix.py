"""Connects to a socket in a folder, as a container's engine or an agent for keys has one."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import socket

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect("{folder}/socket")
    print("GOT a connection")
