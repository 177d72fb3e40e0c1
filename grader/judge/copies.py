"""Copies of the judge: each runs a part of a submission's checks, at the same time, and tells what it found."""

import gc
import io
import math
import os
import pickle
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, TypeAlias

import torch

from grader.forked import serve_the_parent
from grader.tensor_bytes import tensor_bytes

ALIGNED = 16
"""In a message, the values of each tensor begin at a multiple of this many bytes."""

Place: TypeAlias = tuple[torch.dtype, tuple[int, ...], int]
"""A tensor's dtype, its shape, and the offset of its values in a message, in bytes."""


def can_be_made() -> bool:
    """Whether this process can be copied, which takes `fork` and a machine without an accelerator.

    With an accelerator, PyTorch computes no gradient in a copy of a process that has already computed some.
    """
    return hasattr(os, "fork") and torch.accelerator.device_count() == 0


class Copy:
    """A copy of this process in its current state, which ends when this process ends.

    Args:
        work: runs in the copy and yields records, which the copy sends to this process.
        rest: runs in the copy after `work`, if this process asks for it; the copy sends what it returns.
        common: objects that both processes have, so that a record need not contain those that it refers to.

    Raises:
        OSError: the system cannot start another process.
    """

    def __init__(self, work: Callable[[], Iterable[Any]], rest: Callable[[], Any], common: Sequence[Any]) -> None:
        self.connection, theirs = Pipe()
        self.is_done = False
        """Whether no more records will arrive."""
        self._has_ended = False
        self._common = common
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.12 warns of a notebook's other threads, which are not needed
            self._pid = os.fork()
        if self._pid == 0:
            _serve(theirs, work, rest, common)
        theirs.close()

    def arrived(self) -> Iterator[Any]:
        """Yields the records that have arrived by now, without waiting for more."""
        while not self.is_done and self.connection.poll():
            record = self._received()
            if record is None:
                self.is_done = True
            else:
                yield record

    def rest(self) -> Any:
        """Asks for what `rest` returns in the copy; None: the copy ended before."""
        if not self._has_ended:
            with suppress(OSError):
                self.connection.send_bytes(b"?")
        return None if self._has_ended else self._received()

    def close(self) -> None:
        """Ends the copy, whatever it is doing."""
        with suppress(ProcessLookupError, ChildProcessError):  # where SIGCHLD is ignored, an ended child is gone
            os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
        self.connection.close()

    def _received(self) -> Any:
        """The next thing that the copy sent; None at the end of its work, or if the copy has ended."""
        try:
            pickled, values = self.connection.recv_bytes(), self.connection.recv_bytes()
        except (EOFError, OSError):
            self._has_ended = True
            return None
        return _Unpickler(pickled, values, self._common).load()


def all_arriving(copies: Sequence[Copy]) -> Iterator[Any]:
    """Yields the records that copies have yet to send, as they arrive."""
    while working := [copy for copy in copies if not copy.is_done]:
        wait([copy.connection for copy in working])
        for copy in working:
            yield from copy.arrived()


def _serve(
    connection: Connection, work: Callable[[], Iterable[Any]], rest: Callable[[], Any], common: Sequence[Any]
) -> None:
    """Does a copy's work, then ends the process: whatever happens, it must not go back into the parent's work."""
    try:
        serve_the_parent()
        gc.disable()  # a collection would write to, and so copy, all that the two processes share
        for record in work():
            _tell(connection, record, common)
        _tell(connection, None, common)
        if connection.recv_bytes():
            _tell(connection, rest(), common)
    finally:
        os._exit(0)


def _tell(connection: Connection, record: Any, common: Sequence[Any]) -> None:
    file = io.BytesIO()
    pickler = _Pickler(file, common)
    pickler.dump(record)
    connection.send_bytes(file.getvalue())
    connection.send_bytes(b"".join(pickler.values))


class _Pickler(pickle.Pickler):
    """Keeps the values of tensors out of the pickle, each tensor once: to pickle one takes a tenth of a millisecond."""

    def __init__(self, file: io.BytesIO, common: Sequence[Any]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.values: list[bytes] = []
        self._size = 0
        self._places: dict[int, Place] = {}
        self._common = {id(each): place for place, each in enumerate(common)}

    def persistent_id(self, value: Any) -> int | Place | None:
        if isinstance(value, torch.Tensor):
            if id(value) not in self._places:
                self._places[id(value)] = value.dtype, tuple(value.shape), self._size
                values = tensor_bytes(value)
                self.values += values, bytes(-len(values) % ALIGNED)
                self._size += len(values) + len(self.values[-1])
            return self._places[id(value)]
        return self._common.get(id(value))

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, BaseException):  # its constructor may take other arguments than `args`
            return _exception, (type(value), value.args, value.__dict__)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, pickled: bytes, values: bytes, common: Sequence[Any]) -> None:
        super().__init__(io.BytesIO(pickled))
        self._values, self._common = bytearray(values), common
        self._tensors: dict[int, torch.Tensor] = {}

    def persistent_load(self, place: int | Place) -> Any:
        if isinstance(place, int):
            return self._common[place]
        dtype, shape, offset = place
        count = math.prod(shape)
        if count == 0:
            return torch.empty(shape, dtype=dtype)
        if offset not in self._tensors:
            flat = torch.frombuffer(self._values, dtype=dtype, count=count, offset=offset)
            self._tensors[offset] = flat.view(shape)
        return self._tensors[offset]


def _exception(kind: type[BaseException], args: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error
