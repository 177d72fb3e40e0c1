"""Replays a check on a program of the judge, and compares each value with the one that the submission returned."""

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
"""Logits below this are masked ones, whatever number they were set to."""
ROUNDINGS = 4
"""Units in the last place of the largest value by which a function's answers in a narrow dtype differ at most."""


class Deviation(Exception):
    """The replay returned another value than the submission."""


@dataclass(slots=True)
class Replay(Trace):
    """Compares each value with the one that the submission returned at the same place.

    Attributes:
        of_functions: whether no call of the kata's own kind was made. Values below `HIDDEN`, such as a masked score
            that a helper returns, are then compared as if they were `HIDDEN`, and narrow dtypes but for their rounding.
        fails_alike: whether the check failed after returning all of the submission's values.
        passes: whether the check passed, after the same values.
        raises_alike: whether the program raised after the same values, as where shapes do not fit, or gave only NaN,
            as mistakes do where such code raises.
        deviating: the call that returned the first different value; None: there is none, or no call returned it.
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
        """Whether the first value beyond those that the submission returned is all NaN."""
        beyond = self.leaves[len(self.seen) :]
        return bool(beyond) and isinstance(beyond[0], Tensor) and bool(beyond[0].isnan().all())

    @property
    def is_complete(self) -> bool:
        return len(self.leaves) == len(self.seen)


def replay_failure(kata: Kata, program: Any, failure: Run, seed: int, to_the_digit: bool = False) -> Replay:
    """Runs a failed check with this program in the submission's place.

    Args:
        kata: the kata of the check.
        program: the oracle, with steps replaced.
        failure: the check, and what the submission returned in it.
        seed: the seed of the run.
        to_the_digit: whether values must agree to 1e-10, which is closer than a step in float32 comes to the right
            value, and no closer than float64 can.
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
        kata: the kata of the check.
        program: the oracle, with steps replaced.
        run: the check, and what its fixtures drew.
        seed: the seed of the run.
        replay: receives what the program returns.

    Raises:
        KeyError: the check asks for something that no program of the judge has.
    """
    check, trace = run
    fixtures = kata.key.fixtures(kata, program, replay, trace.fixtures) | {"draw": Draw(seed, check.name)}
    check.run(**{name: fixtures[name] for name in check.needs})


def replay_all(kata: Kata, program: Any, run: Run, seed: int) -> list[Any]:
    """All that this program returns in a check, whatever the submission returned.

    Args:
        kata: the kata of the check.
        program: the oracle, with steps replaced.
        run: the check, and what its fixtures drew.
        seed: the seed of the run.
    """
    replay = Trace()
    with suppress(Exception):
        _run(kata, program, run, seed, replay)
    return replay.leaves


def breaks(kata: Kata, program: Any, run: Run, seed: int) -> bool:
    """Whether a replay with this program raises, as where shapes do not fit.

    Args:
        kata: the kata of the check.
        program: the oracle, with steps replaced.
        run: the check, and what its fixtures drew.
        seed: the seed of the run.
    """
    try:
        _run(kata, program, run, seed, Trace())
    except Mismatch:
        return False
    except Exception:
        return True
    return False


def _rounding(value: Any) -> float:
    """How far right answers in the value's dtype may be apart; 0 where that is wider than float16 and bfloat16."""
    if not isinstance(value, Tensor) or value.dtype not in (torch.float16, torch.bfloat16):
        return 0.0
    return ROUNDINGS * torch.finfo(value.dtype).eps * float(value.abs().max())


def _not_below(value: Any, lowest: float) -> Any:
    return value.clamp(min=lowest) if isinstance(value, Tensor) and value.is_floating_point() else value


def all_same(ones: Sequence[Any], others: Sequence[Any], rtol: float = 1e-5, atol: float = 1e-6) -> bool:
    """Whether there are pairs to compare, and all of them are equal but for rounding.

    Args:
        ones: values of one program, in order.
        others: values of another.
        rtol: relative tolerance.
        atol: absolute tolerance.
    """
    pairs = list(zip(ones, others, strict=False))
    return bool(pairs) and all(same(one, other, rtol, atol) for one, other in pairs)


def alike(ones: Sequence[Any], others: Sequence[Any], rtol: float = 1e-5, atol: float = 1e-6) -> list[bool]:
    """Return for each pair whether it is equal but for rounding; weights that only one of the two returns are left out.

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
