"""Seeds of the inputs: drawn for a run, derived for a submission of a stack."""

import hashlib
import secrets

SEEDS = 2**31
OF_A_STACK = 3
"""The number of seeds in a stack: the judge computes inputs and expected values once for each, and keeps them."""


def draw_seed() -> int:
    """Return a random seed that nobody can know in advance."""
    return secrets.randbelow(SEEDS)


def derive_seed(stack_seed: int, sha256: str) -> int:
    """Return a submission's seed in a stack, one of a few; grading the file again gives the same report.

    Args:
        stack_seed: the seed of the run.
        sha256: the file's SHA-256, in hex.
    """
    which = int(sha256, 16) % OF_A_STACK
    return int.from_bytes(hashlib.sha256(f"{stack_seed}:{which}".encode()).digest()[:4], "big")
