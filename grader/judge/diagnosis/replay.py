"""A check replayed with a program of the judge in the submission's place, held against what the submission returned."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grader.checks.draw import Draw
from grader.checks.expect import Mismatch
from grader.checks.kata import Kata
from grader.checks.subject import UNREAD, Trace
from grader.judge.engine import Run
from grader.oracle.near import is_near

HIDDEN = -1e6
"""Logits below it are hidden ones, by whatever number."""
ROUNDINGS = 4
"""Units in the last place of the largest value by which a function's answers in a narrow dtype differ at most."""


class Deviation(Exception):
    """The replay returned another value than the submission."""


@dataclass(slots=True)
class Replay(Trace):
    """Holds each value against the one that the submission returned at the same place.

    Attributes:
        of_functions: no call of the kata's own kind was made; what is below `HIDDEN`, such as a hidden score that a
            helper gives, is compared as if it were that number, and narrow dtypes but for their rounding.
        fails_alike: the check failed, after the same values as the submission's, every one.
        passes: it came to its end, after the same values.
        raises_alike: after the same values it raised, as where shapes do not fit, or gave NaN alone, as mistakes do
            where such code raises.
        deviating: the call in which the first other value was returned; None: there is none, or no call returned it.
    """

    seen: list[Any] = field(default_factory=list)
    rtol: float = 1e-5
    atol: float = 1e-6
    of_functions: bool = False
    fails_alike: bool = False
    passes: bool = False
    raises_alike: bool = False
    deviating: Any = None
    compared: int = 0

    def add(self, *values: Any) -> None:
        start = len(self.leaves)
        Trace.add(self, *values)
        pairs = zip(self.leaves[start:], self.seen[start : len(self.leaves)], strict=False)
        if len(self.leaves) > len(self.seen) or not all(self._same(one, other) for one, other in pairs):
            self.deviating = self.calls[-1] if len(self.calls) > self.compared else None
            raise Deviation
        self.compared = len(self.calls)

    def _same(self, one: Any, other: Any) -> bool:
        atol = self.atol
        if self.of_functions:
            one, other = _not_below(one, HIDDEN), _not_below(other, HIDDEN)
            atol = max(atol, _rounding(other))
        return same(one, other, self.rtol, atol)

    @property
    def is_nan_beyond(self) -> bool:
        """What it gave next, when all that the submission returned was the same, is NaN."""
        beyond = self.leaves[len(self.seen) :]
        return bool(beyond) and isinstance(beyond[0], Tensor) and bool(beyond[0].isnan().all())

    @property
    def is_complete(self) -> bool:
        return len(self.leaves) == len(self.seen)


def replay_failure(kata: Kata, program: Any, failure: Run, seed: int, to_the_digit: bool = False) -> Replay:
    """A check that failed, run with this program in the submission's place.

    Args:
        kata: whose check it is.
        program: the oracle, with steps replaced.
        failure: the check, and what the submission returned in it.
        seed: the run's.
        to_the_digit: values must agree to 1e-10: nearer than a step in float32 comes to the right value, and not nearer
            than float64 can.
    """
    trace = failure.trace
    replay = Replay(seen=trace.leaves, rtol=1e-10, atol=1e-10) if to_the_digit else Replay(seen=trace.leaves)
    answered = [call for call in trace.calls if isinstance(call, kata.key.calls)]
    replay.atol *= max((kata.key.slack(kata, call) for call in answered), default=1.0)
    replay.of_functions = not answered
    try:
        _run(kata, program, failure, seed, replay)
        replay.passes = True
    except Mismatch:
        replay.fails_alike = replay.is_complete and bool(trace.leaves)
    except Deviation:
        replay.raises_alike = replay.is_nan_beyond
    except Exception:  # a replaced step may break on shapes that it was not made for
        replay.raises_alike = replay.is_complete
    return replay


def _run(kata: Kata, program: Any, run: Run, seed: int, replay: Trace) -> None:
    """Runs a check on a program of the judge.

    Args:
        kata: whose check it is.
        program: the oracle, with steps replaced.
        run: the check, and what its fixtures drew.
        seed: of the check's inputs.
        replay: receives what the program returns.

    Raises:
        KeyError: the check asks for what no program of the judge has.
    """
    check, trace = run
    fixtures = kata.key.fixtures(kata, program, replay, trace.fixtures) | {"draw": Draw(seed, check.name)}
    check.run(**{name: fixtures[name] for name in check.needs})


def replay_all(kata: Kata, program: Any, run: Run, seed: int) -> list[Any]:
    """All that this program returns in a check, whatever the submission returned.

    Args:
        kata: whose check it is.
        program: the oracle, with steps replaced.
        run: the check, and what its fixtures drew.
        seed: of the check's inputs.
    """
    replay = Trace()
    with suppress(Exception):
        _run(kata, program, run, seed, replay)
    return replay.leaves


def breaks(kata: Kata, program: Any, run: Run, seed: int) -> bool:
    """A replay by this program raises, as where shapes do not fit.

    Args:
        kata: whose check it is.
        program: the oracle, with steps replaced.
        run: the check, and what its fixtures drew.
        seed: of the check's inputs.
    """
    try:
        _run(kata, program, run, seed, Trace())
    except Mismatch:
        return False
    except Exception:
        return True
    return False


def _rounding(value: Any) -> float:
    """How far right answers may be apart, by the dtype; 0 for a wide one."""
    if not isinstance(value, Tensor) or value.dtype not in (torch.float16, torch.bfloat16):
        return 0.0
    return ROUNDINGS * torch.finfo(value.dtype).eps * float(value.abs().max())


def _not_below(value: Any, lowest: float) -> Any:
    return value.clamp(min=lowest) if isinstance(value, Tensor) and value.is_floating_point() else value


def all_same(ones: Sequence[Any], others: Sequence[Any], rtol: float = 1e-5, atol: float = 1e-6) -> bool:
    """Whether all that can be compared is equal but for rounding, and something can.

    Args:
        ones: values of one program, in order.
        others: values of another.
        rtol: relative tolerance.
        atol: absolute tolerance.
    """
    pairs = list(zip(ones, others, strict=False))
    return bool(pairs) and all(same(one, other, rtol, atol) for one, other in pairs)


def alike(ones: Sequence[Any], others: Sequence[Any], rtol: float = 1e-5, atol: float = 1e-6) -> list[bool]:
    """For each pair, whether it is equal but for rounding; weights that one of the two does not return are left out.

    Args:
        ones: values of one program, in order.
        others: values of another.
        rtol: relative tolerance.
        atol: absolute tolerance.
    """
    return [same(one, other, rtol, atol) for one, other in zip(ones, others, strict=False)]


def same(one: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-6) -> bool:
    """Whether two values are equal, tensors and floats but for rounding; None equals None alone, `UNREAD` anything.

    Args:
        one: a tensor of any dtype, or any other value.
        other: what it is compared with.
        rtol: relative tolerance.
        atol: absolute tolerance.
    """
    if one is UNREAD or other is UNREAD:
        return True
    if type(one) is type(other) is float:
        return math.isclose(one, other, rel_tol=rtol, abs_tol=atol)
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return type(one) is type(other) and bool(one == other)
    return one.shape == other.shape and is_near(one, other, rtol, atol)
