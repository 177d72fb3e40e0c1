"""The budgets of a submission by their names, and how they become the sandbox's limits."""

from collections.abc import Mapping
from typing import NamedTuple

from grader.sandbox import Limits
from grader.submission.paths import SOURCE_LIMIT
from grader.wire import WireLimits


class Budget(NamedTuple):
    """One resource that is limited."""

    name: str
    unit: str
    """`S`: seconds, any number above 0; every other unit takes a whole number."""
    default: float
    meaning: str
    least: int = 1
    """The smallest value that is allowed: the checks themselves may need as much."""


DEFAULT = Limits()

BUDGETS = (
    Budget("load-seconds", "S", DEFAULT.load_s, "seconds to load a submission"),
    Budget("check-seconds", "S", DEFAULT.check_s, "seconds for one check"),
    Budget("submission-seconds", "S", DEFAULT.submission_s, "seconds for all checks of a submission"),
    Budget("memory-mib", "MIB", DEFAULT.memory_bytes >> 20, "memory of a submission beyond PyTorch's own"),
    Budget("output-mib", "MIB", DEFAULT.output_bytes >> 20, "what may be printed in loading, and in each check"),
    Budget("tail-kib", "KIB", DEFAULT.output_tail >> 10, "how much of the end of it is kept and shown"),
    Budget("source-mib", "MIB", SOURCE_LIMIT >> 20, "Python source of a submission"),
    Budget("tensor-mib", "MIB", DEFAULT.wire.payload_bytes >> 20, "the tensors of one call or answer"),
    Budget("tensors", "N", DEFAULT.wire.tensors, "how many tensors that may be", least=DEFAULT.wire.tensors),
    Budget("dimensions", "N", DEFAULT.wire.rank, "dimensions of each of them", least=DEFAULT.wire.rank),
)


def limits(of: Mapping[str, float]) -> Limits:
    """Return the sandbox's limits for budgets given by name; `source-mib` limits the reader of files instead."""
    return Limits(
        load_s=of["load-seconds"],
        check_s=of["check-seconds"],
        submission_s=of["submission-seconds"],
        memory_bytes=int(of["memory-mib"]) << 20,
        output_bytes=int(of["output-mib"]) << 20,
        output_tail=int(of["tail-kib"]) << 10,
        wire=WireLimits(
            payload_bytes=int(of["tensor-mib"]) << 20, tensors=int(of["tensors"]), rank=int(of["dimensions"])
        ),
    )
