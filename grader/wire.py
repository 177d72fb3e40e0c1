"""Frames between judge and worker: a JSON head and raw tensor bytes, every size checked before it is used.

A frame is `HEADER` (length of the head, length of the payload), the head (UTF-8 JSON, an object whose
`tensors` lists `{"dtype", "shape"}` in order), then the tensors' bytes one after another, C order, in the
byte order of this machine (both ends run on it). Nothing is pickled; docs/decisions.md says why it is not safetensors.

torch is imported inside the functions, so that the judge can start the sandbox before it imports torch.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from grader.tensor_bytes import tensor_bytes

if TYPE_CHECKING:
    import torch

HEADER = struct.Struct("!IQ")
NOTE = struct.Struct("!I")
"""The content of the memory that judge and worker share: the number of the request that began last."""
OUT_OF_MEMORY = 71  # the exit status of a worker that has not even the memory left to answer

ITEM_SIZES = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}
"""The dtypes that may cross, with the bytes of one element."""


class WireError(Exception):
    """A frame that breaks the rules; the message says which one."""


class WireTimeout(WireError):
    """The deadline passed before the frame was whole."""


class WireClosed(WireError):
    """The other end closed the connection."""


@dataclass(frozen=True, slots=True)
class WireLimits:
    """The largest frame that is accepted."""

    head_bytes: int = 1 << 20
    payload_bytes: int = 64 << 20
    tensors: int = 256
    rank: int = 8
    depth: int = 32
    """How deep lists and objects may nest in the head."""
    trusted: bool = False
    """Whether what a head says is taken without checks, since the judge sent it."""

    @property
    def of_requests(self) -> WireLimits:
        """The limits for what the judge itself sends: its heads hold sources, which are bounded where they are read."""
        return replace(self, head_bytes=1 << 30, trusted=True)


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: its head, without `tensors`, and the tensors in order."""

    head: dict[str, Any]
    tensors: list[torch.Tensor]


class RawFrame(NamedTuple):
    """One message as it arrived: its sizes are within the limits, nothing else of it was read."""

    head: bytes
    payload: bytearray

    def digest(self) -> bytes:
        """The same for the same bytes alone."""
        summed = blake2b(HEADER.pack(len(self.head), len(self.payload)), digest_size=16)
        summed.update(self.head)
        summed.update(self.payload)
        return summed.digest()


DEFAULT_LIMITS = WireLimits()

PLAIN_CALL: dict[str, Any] = {
    "number": None,
    "object": None,
    "args": [],
    "kwargs": {},
    "mode": None,
    "needs_mode": False,
    "seed": None,
    "drawn": 0,
    "recording": False,
    "default_dtype": "float32",
    "again": False,
    "observed": [],
    "keep": False,
    "requires_grad": [],
    "cotangent": None,
    "paths": [],
}
"""The defaults of a call request, which leaves out most of its fields: heads take longer than tensors."""

Read = Callable[[int], bytearray]
"""Reads exactly the given number of bytes, or raises WireTimeout or WireClosed."""


def encode(head: dict[str, Any], tensors: Sequence[torch.Tensor] = (), limits: WireLimits = DEFAULT_LIMITS) -> bytes:
    """The bytes of one frame.

    Args:
        head: JSON values only; finite numbers, `tensors` is filled in here.
        tensors: dense tensors of an allowed dtype, any device, any strides.
        limits: what the other end accepts.

    Raises:
        WireError: the head is not JSON, a tensor's dtype is not allowed, or something is over its limit.
    """
    described = [{"dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape)} for tensor in tensors]
    total = sum(tensor.nbytes for tensor in tensors) if limits.trusted else _payload_size(described, limits)
    if total > limits.payload_bytes:
        raise WireError(f"the tensors take {total} bytes, the limit is {limits.payload_bytes}")
    try:
        text = _ENCODER.encode({**head, "tensors": described}).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise WireError(f"the head cannot be written as JSON: {problem}") from None
    if len(text) > limits.head_bytes:
        raise WireError(f"the head takes {len(text)} bytes, the limit is {limits.head_bytes}")
    return b"".join([HEADER.pack(len(text), total), text, *map(tensor_bytes, tensors)])


def decode(read: Read, limits: WireLimits = DEFAULT_LIMITS) -> Frame:
    """Reads one frame and what it says; arguments and errors as of `receive` and `parse`."""
    return parse(receive(read, limits), limits)


def receive(read: Read, limits: WireLimits = DEFAULT_LIMITS) -> RawFrame:
    """Reads one frame; each length is checked before that many bytes are asked for.

    Args:
        read: gives exactly as many bytes as it is asked for.
        limits: the largest frame to accept.

    Raises:
        WireError: the frame is too large.
        WireTimeout, WireClosed: as raised by `read`.
    """
    head_length, payload_length = HEADER.unpack(read(HEADER.size))
    if head_length > limits.head_bytes:
        raise WireError(f"the head would take {head_length} bytes, the limit is {limits.head_bytes}")
    if payload_length > limits.payload_bytes:
        raise WireError(f"the tensors would take {payload_length} bytes, the limit is {limits.payload_bytes}")
    return RawFrame(bytes(read(head_length)), read(payload_length))


def parse(raw: RawFrame, limits: WireLimits = DEFAULT_LIMITS) -> Frame:
    """What a frame says; its tensors may be views of its payload.

    Args:
        raw: the frame as it arrived.
        limits: what its head may say.

    Raises:
        WireError: the frame is malformed, or its tensors are too large.
    """
    head = _parse_head(raw.head, limits)
    described = head.pop("tensors", [])
    if not limits.trusted and (total := _payload_size(described, limits)) != len(raw.payload):
        raise WireError(f"the head describes {total} bytes of tensors, the frame holds {len(raw.payload)}")
    return Frame(head, _tensors(raw.payload, described, is_shared=not limits.trusted))


def dtype_name(dtype: torch.dtype) -> str:
    """`float32` for torch.float32.

    Raises:
        WireError: the dtype is not one that may cross.
    """
    name = str(dtype).removeprefix("torch.")
    if name not in ITEM_SIZES:
        raise WireError(f"a tensor of dtype {name} may not cross; allowed: {', '.join(ITEM_SIZES)}")
    return name


def _parse_head(text: bytes, limits: WireLimits) -> dict[str, Any]:
    try:
        head = _DECODER.decode(text.decode("utf-8"))
    except RecursionError:
        raise WireError(f"the head nests deeper than {limits.depth}") from None
    except ValueError as problem:
        raise WireError(f"the head is not JSON: {problem}") from None
    if not isinstance(head, dict):
        raise WireError("the head is not a JSON object")
    if not limits.trusted:
        if text.count(b"[") + text.count(b"{") > limits.depth:
            _check_depth(head, limits)
        if b"\\u" in text:
            _check_text(head)
    return head


def _refuse_constant(name: str) -> NoReturn:
    raise WireError(f"the head holds {name}, which is not JSON")


_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _check_depth(head: dict[str, Any], limits: WireLimits) -> None:
    level: list[Any] = [head]
    for _ in range(limits.depth):
        inner = (value.values() if type(value) is dict else value for value in level)
        level = [value for values in inner for value in values if type(value) is dict or type(value) is list]
        if not level:
            return
    raise WireError(f"the head nests deeper than {limits.depth}")


def _check_text(head: dict[str, Any]) -> None:
    """Refuses lone surrogates, which no terminal or file could be given; only an escape can make one."""
    try:
        json.dumps(head, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise WireError("the head holds text that is not valid Unicode") from None


def _payload_size(described: Any, limits: WireLimits) -> int:
    """How many bytes the described tensors take, once each description is found to be sound."""
    if not isinstance(described, list):
        raise WireError("`tensors` in the head is not a list")
    if len(described) > limits.tensors:
        raise WireError(f"the frame has {len(described)} tensors, the limit is {limits.tensors}")
    return sum(_tensor_size(entry, limits) for entry in described)


def _tensor_size(entry: Any, limits: WireLimits) -> int:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape"}:
        raise WireError("a tensor's entry in the head is not {dtype, shape}")
    dtype, shape = entry["dtype"], entry["shape"]
    if not isinstance(dtype, str) or dtype not in ITEM_SIZES:
        raise WireError(f"a tensor of dtype {str(dtype)[:40]} may not cross; allowed: {', '.join(ITEM_SIZES)}")
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise WireError("a tensor's shape is not a list of sizes")
    if len(shape) > limits.rank:
        raise WireError(f"a tensor has {len(shape)} dimensions, the limit is {limits.rank}")
    # Sizes beside a zero count too: torch multiplies them for the strides, and would overflow.
    if math.prod(size or 1 for size in shape) * ITEM_SIZES[dtype] > limits.payload_bytes:
        raise WireError(f"a tensor of shape {shape} is over the limit of {limits.payload_bytes} bytes")
    return math.prod(shape) * ITEM_SIZES[dtype]


def _tensors(payload: bytearray, described: list[dict[str, Any]], *, is_shared: bool) -> list[torch.Tensor]:
    """The tensors in a payload.

    Args:
        payload: the bytes of all, one after another.
        described: `dtype` and `shape` of each.
        is_shared: whether tensors may be views of the payload: nobody writes into them, resizes them or asks what they
            share.
    """
    import torch

    tensors, offset = [], 0
    for entry in described:
        dtype, shape, size = getattr(torch, entry["dtype"]), entry["shape"], ITEM_SIZES[entry["dtype"]]
        count = math.prod(shape)
        if count == 0:
            tensors.append(torch.empty(shape, dtype=dtype))
            continue
        if entry["dtype"] == "bool" and payload[offset : offset + count].strip(b"\0\1"):
            raise WireError("a bool tensor holds bytes other than 0 and 1")
        laid_out = torch.frombuffer(payload, dtype=dtype, count=count, offset=offset).view(shape)
        # The clone is aligned and owns its memory; a view into the payload may be neither.
        tensors.append(laid_out if is_shared and offset % size == 0 else laid_out.clone())
        offset += count * size
    return tensors
