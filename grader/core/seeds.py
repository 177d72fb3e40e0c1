"""The seed of a run's inputs: all submissions of a stack meet the same ones."""

import secrets

SEEDS = 2**31


def drawn() -> int:
    """A seed that nobody knows before."""
    return secrets.randbelow(SEEDS)
