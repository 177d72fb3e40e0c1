"""Frames: what crosses comes back the same, and what breaks a rule is refused before it costs anything."""

import json
import math
import socket

import pytest
import torch

from grader import wire
from grader.tensor_bytes import tensor_bytes
from grader.wire import HEADER, ITEM_SIZES, WireClosed, WireError, WireLimits
from grader.worker.request_loop import socket_reader


def reader(data: bytes) -> wire.Read:
    """A `Read` over bytes that ends like a closed connection."""
    left = bytearray(data)

    def read(count: int) -> bytearray:
        if count > len(left):
            raise WireClosed("the other end closed the connection")
        part = left[:count]
        del left[:count]
        return part

    return read


def frame(head: object, payload: bytes = b"") -> bytes:
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return HEADER.pack(len(text), len(payload)) + text + payload


def tensors_of(*entries: object) -> dict[str, object]:
    return {"tensors": list(entries)}


@pytest.mark.parametrize("dtype", ITEM_SIZES)
def test_a_tensor_of_every_allowed_dtype_comes_back_bit_for_bit(dtype: str) -> None:
    draw = torch.Generator().manual_seed(7)
    sent = (torch.randn(2, 3, 4, generator=draw) * 3).to(getattr(torch, dtype))
    received = wire.decode(reader(wire.encode({}, [sent]))).tensors[0]
    assert sent.dtype == received.dtype
    assert sent.shape == received.shape
    assert tensor_bytes(sent) == tensor_bytes(received)


def test_nan_infinity_empty_scalar_and_transposed_tensors_come_back_the_same() -> None:
    sent = [
        torch.tensor([math.nan, math.inf, -0.0]),
        torch.empty(0, 3),
        torch.tensor(2.5),
        torch.arange(6).view(2, 3).t(),
        torch.ones(1).expand(3, 2),
    ]
    received = wire.decode(reader(wire.encode({"a": 1}, sent)))
    assert {"a": 1} == received.head
    assert [list(t.shape) for t in sent] == [list(t.shape) for t in received.tensors]
    assert [tensor_bytes(t) for t in sent] == [tensor_bytes(t) for t in received.tensors]


def test_a_received_tensor_owns_its_memory() -> None:
    first, second = wire.decode(reader(wire.encode({}, [torch.zeros(3, dtype=torch.int8), torch.zeros(2)]))).tensors
    first += 1
    assert [0.0, 0.0] == second.tolist()
    assert 0 == second.data_ptr() % 4


def test_what_a_submission_is_given_is_a_tensor_like_any_other() -> None:
    (received,) = wire.decode(reader(wire.encode({}, [torch.zeros(4)])), WireLimits().of_requests).tensors
    assert (5,) == received.resize_(5).shape  # where others own the bytes PyTorch refuses it


F32 = {"dtype": "float32", "shape": [2]}
MALFORMED = {
    "not JSON": (frame(b"{"), "not JSON"),
    "not UTF-8": (frame(b'{"a": "\xff"}'), "not JSON"),
    "a list as head": (frame([1]), "not a JSON object"),
    "NaN in the head": (frame(b'{"a": NaN}'), "holds NaN"),
    "a number of 5000 digits": (frame(b'{"a": ' + b"1" * 5000 + b"}"), "not JSON"),
    "nested 100,000 deep": (frame(b'{"a":' * 100_000), "nests deeper"),
    "nested 40 deep": (frame(b'{"a":' * 40 + b"1" + b"}" * 40), "nests deeper than 32"),
    "a lone surrogate": (frame(b'{"a": "\\ud800"}'), "not valid Unicode"),
    "a lone surrogate as key": (frame(b'{"\\ud800": 1}'), "not valid Unicode"),
    "tensors is no list": (frame({"tensors": 3}), "not a list"),
    "300 tensors": (frame(tensors_of(*[{"dtype": "int8", "shape": [0]}] * 300)), "300 tensors, the limit is 256"),
    "an entry without shape": (frame(tensors_of({"dtype": "int8"})), "not {dtype, shape}"),
    "complex64": (frame(tensors_of({"dtype": "complex64", "shape": []})), "complex64 may not cross"),
    "a list as dtype": (frame(tensors_of({"dtype": ["int8"], "shape": []})), "may not cross"),
    "a negative size": (frame(tensors_of({"dtype": "int8", "shape": [-1]})), "not a list of sizes"),
    "True as a size": (frame(tensors_of({"dtype": "int8", "shape": [True]}), b"1"), "not a list of sizes"),
    "a fractional size": (frame(tensors_of({"dtype": "int8", "shape": [1.0]}), b"1"), "not a list of sizes"),
    "rank 9": (frame(tensors_of({"dtype": "int8", "shape": [1] * 9}), b"1"), "9 dimensions, the limit is 8"),
    "one tensor over the limit": (frame(tensors_of({"dtype": "int8", "shape": [1 << 40]})), "over the limit"),
    "sizes that overflow beside a zero": (
        frame(tensors_of({"dtype": "int8", "shape": [0, 1 << 40, 1 << 40]})),
        "over the limit",
    ),
    "payload shorter than described": (
        frame(tensors_of(F32), b"1234"),
        "describes 8 bytes of tensors, the frame holds 4",
    ),
    "payload longer than described": (frame(tensors_of(F32), b"0" * 12), "describes 8 bytes"),
    "payload that nothing describes": (frame({}, b"0"), "describes 0 bytes"),
    "a bool byte of 2": (frame(tensors_of({"dtype": "bool", "shape": [2]}), b"\x01\x02"), "other than 0 and 1"),
}


@pytest.mark.parametrize("situation", MALFORMED)
def test_a_malformed_frame_is_refused_with_a_sentence(situation: str) -> None:
    data, words = MALFORMED[situation]
    with pytest.raises(WireError, match=words):
        wire.decode(reader(data))


@pytest.mark.parametrize(
    ("header", "words"),
    [((1 << 31, 0), "head would take 2147483648 bytes"), ((2, 10 << 30), "tensors would take 10737418240 bytes")],
)
def test_a_header_that_announces_too_much_is_refused_before_anything_is_read(
    header: tuple[int, int], words: str
) -> None:
    counts = []

    def read(count: int) -> bytearray:
        counts.append(count)
        return bytearray(HEADER.pack(*header))

    with pytest.raises(WireError, match=words):
        wire.decode(read)
    assert [HEADER.size] == counts


def test_random_damage_to_a_frame_never_raises_anything_but_a_wire_error() -> None:
    draw = torch.Generator().manual_seed(11)
    whole = wire.encode({"ok": True, "value": {"$tuple": [1, None]}}, [torch.ones(2, 2), torch.ones(3) > 0])
    for _ in range(500):
        damaged = bytearray(whole)
        for place in torch.randint(len(whole), (3,), generator=draw).tolist():
            damaged[place] = int(torch.randint(256, (1,), generator=draw))
        try:
            wire.decode(reader(bytes(damaged)))
        except WireError:
            continue


@pytest.mark.parametrize(
    ("head", "tensors", "words"),
    [
        ({"a": math.nan}, [], "cannot be written as JSON"),
        ({"a": object()}, [], "cannot be written as JSON"),
        ({"a": "x" * 3000}, [], "head takes .* the limit is 2000"),
        ({}, [torch.zeros(3, dtype=torch.complex64)], "complex64 may not cross; allowed: float64"),
        ({}, [torch.zeros(2000)], "over the limit of 4000 bytes"),
        ({}, [torch.zeros(700), torch.zeros(700)], "take 5600 bytes, the limit is 4000"),
    ],
)
def test_what_the_other_end_would_refuse_is_not_sent(head: dict, tensors: list, words: str) -> None:
    with pytest.raises(WireError, match=words):
        wire.encode(head, tensors, WireLimits(head_bytes=2000, payload_bytes=4000))


def test_a_frame_in_pieces_is_read_whole() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        data = wire.encode({"n": 1}, [torch.arange(4)])
        theirs.sendall(data[:5])
        theirs.sendall(data[5:])
        received = wire.decode(socket_reader(ours))
    assert {"n": 1} == received.head
    assert [0, 1, 2, 3] == received.tensors[0].tolist()


def test_half_a_frame_then_the_end_is_a_closed_connection() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(wire.encode({"n": 1})[:-1])
        with pytest.raises(WireClosed, match="closed the connection"):
            wire.decode(socket_reader(ours))
