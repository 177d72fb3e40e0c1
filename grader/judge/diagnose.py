"""Names a mistake, where the submission's values prove it: replays the check with one step of the oracle replaced."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from grader.checks.attention import OracleAttention, Trace
from grader.checks.case import Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch
from grader.checks.kata import Kata
from grader.checks.mistake import Mistake
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


def explains(kata: Kata, mistake: Mistake, check: Check, seed: int, trace: Trace) -> bool:
    """The mistake fails the check, and returns the submission's values up to there, every one."""
    steps = mistake.applied(kata.oracle)
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


class Diagnosis:
    """The mistakes proven so far in one run; one that explained an earlier check is tried first."""

    def __init__(self, kata: Kata, seed: int) -> None:
        self._kata, self._seed = kata, seed
        self._named: list[Mistake] = []
        self._searched: set[str] = set()

    def sentence(self, check: Check, trace: Trace) -> str | None:
        """The sentence of a mistake that the trace proves, or None."""
        found = self._search(check, trace, self._named) or self._search(check, trace, self._rest(check))
        if found is None:
            return None
        if found not in self._named:
            self._named.insert(0, found)
        return found.sentence

    def _search(self, check: Check, trace: Trace, mistakes: list[Mistake]) -> Mistake | None:
        for mistake in mistakes:
            if explains(self._kata, mistake, check, self._seed, trace):
                return mistake
        return None

    def _rest(self, check: Check) -> list[Mistake]:
        """The whole catalogue once a tier: replays take time, and a tier's checks mostly fail for one cause."""
        if check.tier.name in self._searched:
            return []
        self._searched.add(check.tier.name)
        return [mistake for mistake in self._kata.mistakes if mistake not in self._named]


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and torch.allclose(
        one.double(), other.double(), rtol=1e-5, atol=1e-6, equal_nan=True
    )
