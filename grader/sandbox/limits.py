"""The budgets of a submission that its processes are held to."""

import math
from dataclasses import dataclass

from grader.wire import DEFAULT_LIMITS, WireLimits


@dataclass(frozen=True, slots=True)
class Limits:
    """What a submission may take; times in seconds, the rest in bytes.

    Times are wall clock, less what a worker waits for a processor (waiting.py).
    """

    load_s: float = 20.0
    check_s: float = 10.0
    submission_s: float = 120.0
    memory_bytes: int = 2 << 30
    """Memory beyond what PyTorch has mapped once it is imported and warmed up."""
    output_bytes: int = 8 << 20
    """How much may be printed while a submission is loaded, or in one check."""
    output_tail: int = 64 << 10
    """How much of the printed output is kept, counted from its end."""
    wire: WireLimits = DEFAULT_LIMITS

    @property
    def processor_s(self) -> int:
        """Processor time in a worker's lifetime; more than `submission_s`, so that the wall clock ends it first."""
        return math.ceil(self.submission_s) + 1
