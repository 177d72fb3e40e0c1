"""What a submission may take: the options of the command line, and the limits that they come to."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from grader.sandbox import Limits
from grader.submission.paths import SOURCE_LIMIT
from grader.wire import WireLimits


def not_negative(text: str) -> int:
    """A whole number from 0.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0")
    return int(text)


def _positive(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return seconds


def _above_zero(text: str) -> int:
    number = not_negative(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 is not a whole number above 0")
    return number


def _from(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if (found := not_negative(text)) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}, which the checks themselves may need")
        return found

    return number


class Budget(NamedTuple):
    """An option that sets how much a submission may take."""

    option: str
    unit: str
    kind: Callable[[str], float]
    default: float
    meaning: str


DEFAULT = Limits()

BUDGETS = (
    Budget("load-seconds", "S", _positive, DEFAULT.load_s, "seconds to load a submission"),
    Budget("check-seconds", "S", _positive, DEFAULT.check_s, "seconds for one check"),
    Budget("submission-seconds", "S", _positive, DEFAULT.submission_s, "seconds for all checks of a submission"),
    Budget("memory-mib", "MIB", _above_zero, DEFAULT.memory_bytes >> 20, "memory of a submission beyond PyTorch's own"),
    Budget(
        "output-mib",
        "MIB",
        _above_zero,
        DEFAULT.output_bytes >> 20,
        "what may be printed in loading, and in each check",
    ),
    Budget("tail-kib", "KIB", _above_zero, DEFAULT.output_tail >> 10, "how much of the end of it is kept and shown"),
    Budget("source-mib", "MIB", _above_zero, SOURCE_LIMIT >> 20, "Python source of a submission"),
    Budget("tensor-mib", "MIB", _above_zero, DEFAULT.wire.payload_bytes >> 20, "the tensors of one call or answer"),
    Budget("tensors", "N", _from(DEFAULT.wire.tensors), DEFAULT.wire.tensors, "how many tensors that may be"),
    Budget("dimensions", "N", _from(DEFAULT.wire.rank), DEFAULT.wire.rank, "dimensions of each of them"),
)


def limits(options: argparse.Namespace) -> Limits:
    """The options' values as the sandbox takes them; `--source-mib` is the reader's."""
    return Limits(
        load_s=options.load_seconds,
        check_s=options.check_seconds,
        submission_s=options.submission_seconds,
        memory_bytes=options.memory_mib << 20,
        output_bytes=options.output_mib << 20,
        output_tail=options.tail_kib << 10,
        wire=WireLimits(payload_bytes=options.tensor_mib << 20, tensors=options.tensors, rank=options.dimensions),
    )
