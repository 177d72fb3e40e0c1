"""A check replayed on steps of the oracle in the submission's place, and held against what the submission returned."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.checks.attention import Seen, Trace, differentiate
from grader.checks.case import Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch
from grader.checks.kata import Kata
from grader.oracle.attention import OracleAttention
from grader.oracle.pipeline import Steps
from grader.checks.tiers import Check


class Ran(NamedTuple):
    """A check that ran to its verdict, and what the submission returned in it."""

    check: Check
    trace: Trace


class Deviates(Exception):
    """The replay returned another value than the submission."""


@dataclass(slots=True)
class Replay(Trace):
    """Holds each value against the one that the submission returned at the same place."""

    seen: list[Tensor | None] = field(default_factory=list)
    rtol: float = 1e-5
    atol: float = 1e-6

    def add(self, *tensors: Tensor | None) -> None:
        Trace.add(self, *tensors)
        start = len(self.tensors) - len(tensors)
        pairs = zip(self.tensors[start:], self.seen[start : len(self.tensors)], strict=False)
        if len(self.tensors) > len(self.seen) or not all(
            same(one, other, self.rtol, self.atol) for one, other in pairs
        ):
            raise Deviates

    @property
    def complete(self) -> bool:
        return len(self.tensors) == len(self.seen)


def fails_alike(kata: Kata, steps: Steps, failure: Ran, seed: int, to_the_digit: bool = False) -> bool:
    """A replay by these steps fails the check, after the same values as the submission's, every one.

    To the digit: nearer than a step in float32 comes to the right value, and not nearer than float64 can.
    """
    check, trace = failure
    replay = Replay(seen=trace.tensors, rtol=1e-10, atol=1e-10) if to_the_digit else Replay(seen=trace.tensors)
    made = iter(trace.weights)

    def attention(*args: Any, **kwargs: Any) -> OracleAttention:
        size = Size(*args, **kwargs)
        weights, weights_seed = next(made)
        return OracleAttention(kata, steps, size, weights, weights_seed, replay)

    try:
        check.run(attention=attention, draw=Draw(seed, check.name))
    except Mismatch:
        return replay.complete and bool(trace.tensors)
    except Exception:  # a replaced step may break on shapes that it was not made for: then it explains nothing
        return False
    return False


def contradicts(kata: Kata, steps: Steps, seen: Seen) -> bool:
    """The submission clearly returned other values than these steps do, in a call that can be compared."""
    if not comparable(kata, seen):
        return False
    answer = answer_by(kata, steps, seen)
    if in_training(seen) and drew(seen.case.seed):
        return False
    # Looser than `same`: what a step in float32 costs is no contradiction.
    return bool(answer) and not all_same(answer, given(seen), rtol=1e-4, atol=1e-5)


def comparable(kata: Kata, seen: Seen) -> bool:
    """Right answers to the call are all the same, and another dtype of mask is not what made the difference.

    Every query sees a key, and the mask has the dtype of the kata's first form, whatever its shape: a submission may
    read each dtype by lines of its own. Weights that are drawn in another default dtype than the check's are not those
    that the call is known by.
    """
    case = seen.case
    sighted = case.shown is None or bool(case.shown.any(dim=-1).all())
    first_dtype = case.bias is None and (case.mask_format is None or case.mask_format.dtype == kata.formats[0].dtype)
    plain = case.mask_dtype is None and case.default_dtype is None
    return sighted and first_dtype and plain and seen.size.dtype == torch.float64


def exact(seen: Seen) -> bool:
    """In full precision, and nothing was drawn in the call."""
    return seen.size.dtype == torch.float64 and not in_training(seen)


def in_training(seen: Seen) -> bool:
    """With dropout, so that right answers depend on what is drawn, and in which order."""
    return seen.case.training and seen.size.dropout > 0


def drew(seed: int | None) -> bool:
    """The steps that ran last, from this seed, drew a number; where none was set nobody can tell, and they may have."""
    if seed is None:
        return True
    after = torch.default_generator.get_state()
    torch.default_generator.manual_seed(seed)
    return not torch.equal(after, torch.default_generator.get_state())


def given(seen: Seen) -> list[Tensor]:
    """What the submission returned in a call."""
    gradients = seen.gradients or {}
    return _there(*seen.answer, *(gradients[name] for name in sorted(gradients)))


def answer_by(kata: Kata, steps: Steps, seen: Seen) -> list[Tensor]:
    """What these steps return in its place; nothing where they break on its shapes."""
    try:
        if seen.cotangent is None or seen.gradients is None:
            return _there(*steps.run(seen.case, seen.size, seen.weights))
        answer, found = differentiate(steps, kata, seen.case, seen.size, seen.weights, seen.cotangent)
        return _there(*answer.asked_for(seen.case).detached(), *(found.get(name) for name in sorted(seen.gradients)))
    except Exception:
        return []


def same_output(kata: Kata, steps: Steps, seen: Seen) -> bool:
    """The output alone, which costs less than gradients."""
    return all_same(answer_by(kata, steps, seen._replace(cotangent=None))[:1], given(seen)[:1])


def all_same(ones: Sequence[Tensor], others: Sequence[Tensor], rtol: float = 1e-5, atol: float = 1e-6) -> bool:
    """All that can be compared is equal but for rounding, and something can."""
    found = alike(ones, others, rtol, atol)
    return bool(found) and all(found)


def alike(ones: Sequence[Tensor], others: Sequence[Tensor], rtol: float = 1e-5, atol: float = 1e-6) -> list[bool]:
    """Which are equal but for rounding; weights that one of the two does not return are not compared."""
    return [same(one, other, rtol, atol) for one, other in zip(ones, others, strict=False)]


def same(one: Tensor | None, other: Tensor | None, rtol: float = 1e-5, atol: float = 1e-6) -> bool:
    """Equal but for rounding; None equals None alone."""
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and torch.allclose(
        one.double(), other.double(), rtol=rtol, atol=atol, equal_nan=True
    )


def _there(*tensors: Tensor | None) -> list[Tensor]:
    return [tensor for tensor in tensors if tensor is not None]
