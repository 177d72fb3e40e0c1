"""Asks a name server on this machine for an address, in whose name a secret could travel."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import socket

question = b"\x13\x37\x01\x00\x00\x01" + bytes(6) + b"\x06secret\x07example\x00\x00\x01\x00\x01"
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
    print("GOT", asked.sendto(question, ("127.0.0.1", 53)))
