"""Seeds of the inputs: drawn for a run, derived for a submission of a stack."""

import hashlib
import secrets

SEEDS = 2**31
OF_A_STACK = 3
"""Seeds in a stack: what the judge draws and compares with is kept for so many, and computed once for each."""


def draw_seed() -> int:
    """A seed that nobody knows before."""
    return secrets.randbelow(SEEDS)


def derive_seed(stack_seed: int, sha256: str) -> int:
    """A submission's seed in a stack, one of a few: grading again gives the same report.

    Args:
        stack_seed: of the run.
        sha256: of the file.
    """
    which = int(sha256, 16) % OF_A_STACK
    return int.from_bytes(hashlib.sha256(f"{stack_seed}:{which}".encode()).digest()[:4], "big")
