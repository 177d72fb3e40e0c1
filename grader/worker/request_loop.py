"""The worker's loop: reads the judge's requests from its socket and writes the replies, until the judge closes it."""

from __future__ import annotations

import mmap
import os
import socket
from typing import Any, NoReturn

import torch

from grader import wire
from grader.worker import errors, streams
from grader.worker.host import Host


def serve(connection: socket.socket, notes: mmap.mmap, limits: wire.WireLimits) -> NoReturn:
    """Answers until the judge closes the connection; never returns.

    Args:
        connection: socket to the judge.
        notes: memory where `wire.NOTE` is written, for the judge to read once this process has ended.
        limits: limits on the messages.
    """
    read, of_requests = socket_reader(connection), limits.of_requests

    def ask(head: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
        connection.sendall(wire.encode(head, tensors, limits))
        frame = wire.decode(read, of_requests)
        return frame.head, frame.tensors

    def note(number: int) -> None:
        wire.NOTE.pack_into(notes, 0, number)

    host, pid = Host(limits, ask, note), os.getpid()
    while True:
        try:
            frame = wire.decode(read, of_requests)
        except wire.WireError:
            os._exit(0)
        head, tensors = host.answer(frame.head, frame.tensors)
        if os.getpid() != pid:
            os._exit(0)  # the submission forked, and this is the child coming back into our loop
        try:
            reply = wire.encode(head, tensors, limits)
        except (wire.WireError, RuntimeError) as problem:  # a parameter on the device meta, say, has no values to read
            unsendable = {"type": "unsendable", "message": errors.clean(str(problem))}
            reply = wire.encode({"ok": True, "request": frame.head.get("request"), "error": unsendable}, (), limits)
        streams.put_back()
        connection.sendall(reply)
        del frame, head, tensors, reply


def socket_reader(connection: socket.socket) -> wire.Read:
    """A `wire.Read` from a connected stream socket, without a timeout."""

    def read(count: int) -> bytearray:
        data = bytearray(count)
        view, filled = memoryview(data), 0
        while filled < count:
            received = connection.recv_into(view[filled:])
            if received == 0:
                raise wire.WireClosed("the other end closed the connection")
            filled += received
        return data

    return read
