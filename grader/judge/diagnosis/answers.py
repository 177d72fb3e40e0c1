"""What programs of the judge return in the calls that a submission answered, held against what it returned."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from grader.checks.kata import Kata
from grader.judge.diagnosis.replay import all_same

LOOSE = (1e-4, 1e-5)
"""(rtol, atol): what a step in float32 costs is no contradiction."""


class Walked(NamedTuple):
    """What a program returned in a call."""

    values: list[Any]
    """Gradients left out; none where it broke on its shapes."""
    walk: Any
    """Its walk through the call; None: the kata's programs take none."""
    drew: bool
    """It drew numbers, so that right answers differ."""


class Answers:
    """The steps that a program has in common with the oracle are taken once for each call.

    Args:
        kata: whose checks made the calls. They must stay alive, for an answer is kept by the call's identity.
    """

    def __init__(self, kata: Kata) -> None:
        self.kata = kata
        self._oracle = dict[int, Walked]()
        self._right = dict[int, list[Any]]()
        self._comparable = dict[int, bool]()
        self._latest: tuple[Any, Any, Any] = None, None, None
        """A program, a call, and what it returned in it: several questions follow one another."""
        self._begun: tuple[Any, Any, Any] = None, None, None
        """A program, a call, and its walk through the first part of it."""

    def values(self, program: Any, call: Any, beside: Any = None) -> list[Any]:
        """What this program returns in a call, gradients left out; nothing where it breaks on its shapes.

        Args:
            program: the oracle, with steps replaced.
            call: of the kind that the kata's key can answer.
            beside: the walk of a program that has more in common with this one than the oracle.
        """
        return self._walked(program, call, beside).values

    def drew(self, program: Any, call: Any) -> bool:
        """Whether this program drew numbers in a call, so that right answers differ."""
        return self._walked(program, call).drew

    def walked(self, program: Any, call: Any) -> Any:
        """The walk of this program through a call; None where it breaks on its shapes."""
        walked = self._walked(program, call)
        return walked.walk if walked.values else None

    def of(self, program: Any, call: Any) -> list[Any]:
        """What this program returns in a call, gradients too; nothing where it breaks on its shapes."""
        walked = self._walked(program, call)
        return walked.values and self._with_gradients(program, call, walked)

    def agree(self, program: Any, call: Any, rtol: float = 1e-5, atol: float = 1e-6) -> bool | None:
        """Whether this program returns what the submission did, gradients too; None where it breaks on its shapes.

        Args:
            program: the oracle, with steps replaced.
            call: of the kind that the kata's key can answer.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        walked = self._walked(program, call)
        if not walked.values:
            return None
        atol *= self.slack(call)
        if not all_same(walked.values, self.returned(call), rtol, atol):
            return False
        whole = self._with_gradients(program, call, walked)
        return all_same(whole, self.kata.key.returned(call), rtol, atol) if whole else None

    def is_refuted(self, program: Any, call: Any, rtol: float, atol: float) -> bool:
        """What comes first of this program's values tells it from the submission already; arguments as of `agree`."""
        walk = self.kata.key.walk(program, call, self._beside(call))
        self._begun = program, call, walk
        try:
            return self.kata.key.is_refuted(self.kata, program, _valued(call), walk, rtol, atol * self.slack(call))
        except Exception:  # it breaks on its shapes, as it will again
            return False

    def same_values(self, program: Any, call: Any, rtol: float = 1e-5, atol: float = 1e-6) -> bool:
        """Whether this program returns what the submission did, gradients left out; arguments as of `agree`."""
        return all_same(self.values(program, call), self.returned(call), rtol, atol * self.slack(call))

    def likes(self, ways: Sequence[Any], call: Any, rtol: float, atol: float) -> Iterator[Any]:
        """Those ways of one program, of which the first is known to be another, that return what the submission did.

        Args:
            ways: the program in each style.
            call: of the kind that the kata's key can answer.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        key, output, near = self.kata.key, self.returned(call)[:1], atol * self.slack(call)
        first, beside, _ = self._walked(ways[0], call)
        refuted = set() if all_same(first[:1], output, rtol, near) else {key.style_of_the_output(ways[0])}
        for way in ways[1:]:
            style = key.style_of_the_output(way)
            if style in refuted:
                continue
            if not all_same(self.values(way, call, beside if first else None)[:1], output, rtol, near):
                refuted.add(style)
            elif self.agree(way, call, rtol, atol):
                yield way

    def is_untouched(self, program: Any, call: Any) -> bool:
        """This program returns what the oracle does, gradients too, bit for bit."""
        walk = self._walked(program, call).walk
        return walk is not None and (walk.is_the_same or (walk.has_joined and call.cotangent is None))

    def slack(self, call: Any) -> float:
        """How many times as far as elsewhere a right answer may be off."""
        return self.kata.key.slack(self.kata, call)

    def returned(self, call: Any) -> list[Any]:
        """What the submission returned, gradients left out."""
        return self.kata.key.returned(_valued(call))

    def size(self, call: Any) -> int:
        """How many numbers the submission returned, gradients left out."""
        return sum(value.numel() for value in self.returned(call) if isinstance(value, Tensor))

    def contradict(self, program: Any, call: Any) -> bool:
        """Whether the submission clearly returned other values than this program, in whatever style, in a call.

        Where the program's own styles differ, the submission may have one that is not among them.
        """
        key = self.kata.key
        if id(call) not in self._comparable:
            self._comparable[id(call)] = key.is_comparable(self.kata, call)
        if not self._comparable[id(call)] or self.agree(program, call, *LOOSE) is not False or self.drew(program, call):
            return False
        return not self.differ(program, call)

    def differ(self, program: Any, call: Any) -> bool:
        """Whether the styles of this program may answer a call each in its own way."""
        walked = self._walked(program, call)
        return bool(walked.values) and self.kata.key.differ(self.kata, program, call, walked.walk, self._beside(call))

    def _walked(self, program: Any, call: Any, beside: Any = None) -> Walked:
        if program is self.kata.key.oracle:
            return self._of_oracle(call)
        if beside is None and self._latest[0] is program and self._latest[1] is call:
            return self._latest[2]
        if beside is None and self._begun[0] is program and self._begun[1] is call:
            walk = self._begun[2]
        else:
            walk = self.kata.key.walk(program, call, beside or self._beside(call))
        walked = self._done(program, call, walk)
        if beside is None:
            self._latest = program, call, walked
        return walked

    def _done(self, program: Any, call: Any, walk: Any) -> Walked:
        values = self._answer(program, _valued(call), walk)
        return Walked(values, walk, self.kata.key.drew(call))

    def _of_oracle(self, call: Any) -> Walked:
        if id(call) not in self._oracle:
            oracle = self.kata.key.oracle
            self._oracle[id(call)] = self._done(oracle, call, self.kata.key.walk(oracle, call))
        return self._oracle[id(call)]

    def _beside(self, call: Any) -> Any:
        """The oracle's walk through the call; None: there is none to go beside."""
        walked = self._of_oracle(call)
        return walked.walk if walked.values else None

    def _with_gradients(self, program: Any, call: Any, walked: Walked) -> list[Any]:
        if call.cotangent is None:
            return walked.values
        is_right = program is self.kata.key.oracle or (walked.walk is not None and walked.walk.is_the_same)
        if not is_right:
            return self._answer(program, call)
        if id(call) not in self._right:
            self._right[id(call)] = self._answer(self.kata.key.oracle, call)
        return self._right[id(call)]

    def _answer(self, program: Any, call: Any, walk: Any = None) -> list[Any]:
        try:
            return self.kata.key.answer(self.kata, program, call, walk)
        except Exception:
            return []


def _valued(call: Any) -> Any:
    return call._replace(cotangent=None, gradients=None)
