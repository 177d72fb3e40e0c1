"""What a submission may take: the options of the command line, and the limits that they come to."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.sandbox import Limits


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


BUDGETS = (
    ("load-seconds", "S", _positive, 20, "seconds to load a submission"),
    ("check-seconds", "S", _positive, 10, "seconds for one check"),
    ("submission-seconds", "S", _positive, 120, "seconds for all checks of a submission"),
    ("memory-mib", "MIB", _above_zero, 2048, "memory of a submission beyond PyTorch's own"),
    ("output-mib", "MIB", _above_zero, 8, "what may be printed in loading, and in each check"),
    ("tail-kib", "KIB", _above_zero, 64, "how much of the end of it is kept and shown"),
    ("source-mib", "MIB", _above_zero, 1, "Python source of a submission"),
    ("tensor-mib", "MIB", _above_zero, 64, "the tensors of one call or answer"),
    ("tensors", "N", _from(256), 256, "how many tensors that may be"),
    ("dimensions", "N", _from(8), 8, "dimensions of each of them"),
)
"""What a submission may take: option, unit, type, default, meaning."""


def limits(options: argparse.Namespace) -> "Limits":
    """The options' values as the sandbox takes them; `--source-mib` is the reader's."""
    from grader.sandbox import Limits
    from grader.wire import WireLimits

    return Limits(
        load_s=options.load_seconds,
        check_s=options.check_seconds,
        submission_s=options.submission_seconds,
        memory_bytes=options.memory_mib << 20,
        output_bytes=options.output_mib << 20,
        output_tail=options.tail_kib << 10,
        wire=WireLimits(payload_bytes=options.tensor_mib << 20, tensors=options.tensors, rank=options.dimensions),
    )
