"""Names a mistake, where the submission's values prove it: replays the check with one step of the oracle replaced."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from grader.checks.attention import OracleAttention, Trace
from grader.checks.case import Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch
from grader.checks.kata import Kata
from grader.checks.mistake import Mistake
from grader.checks.pipeline import Steps
from grader.checks.tiers import Check


class Deviates(Exception):
    """The replay returned another value than the submission."""


@dataclass(slots=True)
class Replay(Trace):
    """Holds each value against the one that the submission returned at the same place."""

    seen: list[Tensor | None] = field(default_factory=list)

    def add(self, *tensors: Tensor | None) -> None:
        Trace.add(self, *tensors)
        start = len(self.tensors) - len(tensors)
        pairs = zip(self.tensors[start:], self.seen[start : len(self.tensors)], strict=False)
        if len(self.tensors) > len(self.seen) or not all(_same(one, other) for one, other in pairs):
            raise Deviates

    @property
    def complete(self) -> bool:
        return len(self.tensors) == len(self.seen)


class Failure(NamedTuple):
    """A check that failed, and what the submission returned in it."""

    check: Check
    trace: Trace


def explains(kata: Kata, mistake: Mistake, failure: Failure, seed: int) -> bool:
    """The mistake fails the check, and returns the submission's values up to there, every one."""
    return fails_alike(kata, mistake.applied(kata.oracle), failure, seed)


def fails_alike(kata: Kata, steps: Steps, failure: Failure, seed: int) -> bool:
    """A replay by these steps fails the check, after the same values as the submission's."""
    check, trace = failure
    replay = Replay(seen=trace.tensors)
    given = iter(trace.weights)

    def attention(
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        dtype: torch.dtype = torch.float64,
    ) -> OracleAttention:
        size = Size(embed_dim, num_heads, dropout, bias, dtype)
        weights, weights_seed = next(given)
        return OracleAttention(kata, steps, size, weights, weights_seed, replay)

    try:
        check.run(attention=attention, draw=Draw(seed, check.name))
    except Mismatch:
        return replay.complete and bool(trace.tensors)
    except Exception:  # a replaced step may break on shapes that it was not made for: then it explains nothing
        return False
    return False


def name_mistakes(kata: Kata, seed: int, failures: Sequence[Failure]) -> dict[str, str]:
    """The sentences of the mistakes that are proven, by the name of the check.

    Mistakes may agree on one check, so the one that explains most of what failed is named. The whole catalogue is tried
    on the first failure of each tier that nothing named so far explains; a tier's checks mostly fail for one cause.
    """
    named: list[Mistake] = []
    searched: set[str] = set()
    sentences: dict[str, str] = {}
    for failure in failures:
        if fails_alike(kata, kata.oracle, failure, seed):
            continue  # the values are right: what failed is not in them
        found = [mistake for mistake in named if explains(kata, mistake, failure, seed)]
        if not found and failure.check.tier.name not in searched:
            searched.add(failure.check.tier.name)
            found = [mistake for mistake in kata.mistakes if explains(kata, mistake, failure, seed)]
            if len(found) > 1:
                found.sort(key=lambda mistake: -sum(explains(kata, mistake, other, seed) for other in failures))
            named.extend(found[:1])
        if found:
            sentences[failure.check.name] = found[0].sentence
    return sentences


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and torch.allclose(
        one.double(), other.double(), rtol=1e-5, atol=1e-6, equal_nan=True
    )
